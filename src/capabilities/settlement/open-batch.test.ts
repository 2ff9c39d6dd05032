import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastBatches } from '#capabilities/settlement/show-batches.operation.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { credit, openTill, sell, settleAll, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

// What an open batch holds: amounts of sales, what is credited of the first of them, and how many of the
// last are voided.
type Open = {
  readonly sales: readonly number[]
  readonly credits?: readonly number[]
  readonly voids?: number
  readonly hasDebit?: boolean
  // What was settled the day before, so that credits stand alone.
  readonly isDayAfter?: boolean
  readonly net: bigint
  readonly count: number
}

const rows: Readonly<Record<string, Open>> = {
  'one sale': { sales: [20], net: 2000n, count: 1 },
  'several sales': { sales: [20, 0.01, 7.5], net: 2751n, count: 3 },
  'a sale and a part credited': { sales: [20], credits: [5], net: 1500n, count: 2 },
  'a sale credited in several parts': { sales: [20, 10], credits: [5, 0.01, 14.99], net: 1000n, count: 5 },
  'a sale credited as a whole': { sales: [20], credits: [20], net: 0n, count: 2 },
  'a voided sale beside a credit': { sales: [20, 30], credits: [5], voids: 1, net: 1500n, count: 2 },
  'credits alone': { sales: [20], credits: [5, 2.5], isDayAfter: true, net: -750n, count: 2 },
  'bank debits beside a credit': { sales: [20], credits: [5], hasDebit: true, net: 4050n, count: 3 },
}

async function forecast({ needs, account }: Till): Promise<readonly [bigint, number]> {
  const [record] = await forecastBatches(needs, account.accountId)
  assert(record)
  return [record.net.minor, record.count]
}

for (const [what, { sales, credits = [], voids = 0, hasDebit, isDayAfter, net, count }] of Object.entries(
  rows,
)) {
  test(`an open batch of ${what} is the sum that is settled then`, async () => {
    const till = await openTill(world())
    const sold: number[] = []
    for (const amount of sales) sold.push(await sell(till, amount))
    if (isDayAfter) await settleAll(till)
    for (const amount of credits) assert.equal((await credit(till, sold[0] ?? 0, amount)).code, 0)
    for (const sale of sold.slice(sold.length - voids)) assert.equal((await undo(till, sale)).code, 0)
    if (hasDebit) await debit(till)
    assert.deepEqual(await forecast(till), [net, count])
    const { batch } = await settleAll(till)
    assert.deepEqual([batch['BatchNetAmount'], batch['BatchTransCount']], [Number(net) / 100, count])
    assert.deepEqual(await forecast(till), [0n, 0])
  })
}
