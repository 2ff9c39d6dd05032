import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortHoldings } from '#capabilities/settlement/batch-release.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import type { Currency } from '#kernel/currency.ts'

const [ref, other] = ['r1' as AcquirerRef, 'b1' as AcquirerRef]
const currency = 'USD' as Currency
const batch = { ref: 'b2' as AcquirerRef, currency }
const at = Temporal.Instant.from('2027-01-15T12:00:00Z')

type Kind = 'sale' | 'refund'

function problemWith(kind: Kind, told: Pick<ReportLine, 'reversed' | 'settledIn'>): string {
  const items = [{ paymentId: 7n, ref, totalMinor: 500n, isCredit: kind === 'refund' }]
  const line: ReportLine = { ref, kind, approved: { minor: 500n, currency }, at, ...told }
  const sorted = sortHoldings({ batch, items, others: [], lines: new Map([[ref, [line]]]) })
  return sorted.ok ? '' : String(sorted.refusal.details['problem'])
}

const cases = [
  ['sale', { reversed: true, settledIn: '' }, ''],
  ['sale', { reversed: false, settledIn: other }, ''],
  ['refund', { reversed: false, settledIn: other }, ''],
  ['sale', { reversed: true, settledIn: other }, 'reversed it and settled it as well'],
  ['refund', { reversed: true, settledIn: '' }, 'reversed it, and a credit is not voided'],
] as const
for (const [kind, told, problem] of cases) {
  const { reversed, settledIn } = told
  const what = `${kind}${reversed ? ' that is reversed' : ''}${settledIn ? ' that is settled elsewhere' : ''}`
  test(`a batch with a ${what} ${problem ? 'is not released' : 'is released'}`, () => {
    assert.equal(problemWith(kind, told), problem && `transaction 7: the acquirer has ${problem}`)
  })
}
