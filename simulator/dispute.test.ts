import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bank } from './bank.ts'
import { saleOf, talk } from './bank-talk.ts'
import { disputesIn } from './dispute.ts'
import { openMemoryLog } from './memory-log.ts'

const soldAt = Temporal.Instant.from('2027-01-15T10:00:00Z')

for (const [ending, minor, feeMinor, isWon] of [
  ['.40', 990_040n, 0n, false],
  ['.42', 990_042n, 0n, true],
  ['.40 and a fee of .02', 990_042n, 2n, false],
  ['.42 and a fee of .03', 990_045n, 3n, true],
] as const) {
  const winner = isWon ? 'the merchant' : 'the payer'
  test(`a sale of ${ending} is taken back after three days and ten later decided for ${winner}`, async () => {
    const bank = new Bank({ log: openMemoryLog(), clock: { now: () => soldAt } })
    const sale = saleOf({ ref: 'r1', minor })
    await talk(bank, { ...sale, fee: { ...sale.fee, minor: feeMinor } })
    await talk(bank, saleOf({ ref: 'r2' }))
    const inFourDays = { from: soldAt, to: soldAt.add({ hours: 96 }) }
    const disputes = await Array.fromAsync(disputesIn(bank.log, inFourDays))
    const told = disputes.map(({ ref, reasonCode, chargebackAt, decidedAt, isWon: isMerchants }) => [
      ref,
      reasonCode,
      String(chargebackAt),
      String(decidedAt),
      isMerchants,
    ])
    assert.deepEqual(told, [['r1', '10.4', '2027-01-18T10:00:00Z', '2027-01-28T10:00:00Z', isWon]])
  })
}
