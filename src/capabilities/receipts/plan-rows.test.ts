import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isPlanOver, type PlanFacts, type PlanPayment, planRows } from '#capabilities/receipts/plan-rows.ts'
import { plannedPayments, type PlanTerms, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import { currencyCode } from '#kernel/currency.ts'
import { count } from '../../../test/support/counts.ts'

const currency = currencyCode('USD') ?? assert.fail('dollars are known')
const startsOn = Temporal.PlainDate.from('2027-01-31')

function termsOf(payments: number | null, minor: bigint): PlanTerms {
  return { period: 'MONTHLY', startsOn, payments, total: { minor, currency } }
}

function planOf(terms: PlanTerms, changes: readonly Partial<PlanPayment>[] = []): PlanFacts {
  const payments = plannedPayments(terms).map(({ amount }, at): PlanPayment => {
    return { state: 'scheduled', minor: amount.minor, approvedMinor: 0n, ...changes[at] }
  })
  return { terms, payment: usualPayment(terms), isStopped: false, payments }
}

function rowsOf(plan: PlanFacts): Readonly<Record<string, string>> {
  const said = planRows(plan, 'today').filter(({ value }) => value !== '')
  return Object.fromEntries(said.map(({ label, value }) => [label, value]))
}

test('payments that are all the same need no word about the last', () => {
  assert.deepEqual(rowsOf(planOf(termsOf(4, 10_000n))), {
    Period: 'MONTHLY',
    Payments: '4',
    'Each payment': '$25.00',
    'In all': '$100.00',
  })
})

describe('where a plan stands', () => {
  const paid = { state: 'paid', approvedMinor: 2_500n } as const
  const cases: readonly (readonly [string, readonly Partial<PlanPayment>[], object])[] = [
    ['when one is paid', [paid], { Collected: '$25.00', 'Still to come': '$75.00' }],
    [
      'when the bank approved a part, and one has failed',
      [{ ...paid, approvedMinor: 1_000n }, { state: 'failed' }],
      { 'Not collected': '-$40.00', Collected: '$10.00', 'Still to come': '$50.00' },
    ],
    [
      'while one is being charged',
      [{ state: 'charging' }],
      { Collected: '$0.00', 'Being charged': '$25.00', 'Still to come': '$75.00' },
    ],
    [
      'when two were changed so that the sum is the same',
      [{ minor: 3_000n }, { minor: 2_000n }],
      { Collected: '$0.00', 'Still to come': '$100.00' },
    ],
  ]
  for (const [when, changes, standing] of cases) {
    test(when, () => {
      const {
        Period,
        Payments,
        'Each payment': each,
        'In all': all,
        ...rows
      } = rowsOf(planOf(termsOf(4, 10_000n), changes))
      assert.deepEqual([Period, Payments, each, all], ['MONTHLY', '4', '$25.00', '$100.00'])
      assert.deepEqual(rows, { 'As of': 'today', ...standing })
    })
  }
})

test('a subscription says what it cost at first, and what each payment costs by now', () => {
  const plan = planOf(termsOf(null, 1_000n))
  const agreed = { Period: 'MONTHLY', Payments: 'until cancelled', 'Each payment': '$10.00' }
  assert.deepEqual(rowsOf(plan), agreed)
  const payment = { ...plan.payment, minor: 1_200n }
  assert.deepEqual(rowsOf({ ...plan, payment }), {
    ...agreed,
    'As of': 'today',
    Collected: '$0.00',
    'Still to come': '$12.00 each, until cancelled',
  })
  const stopped = { ...plan, payments: plan.payments.map((one) => ({ ...one, state: 'cancelled' }) as const) }
  assert.equal(rowsOf(stopped)['Still to come'], '$0.00')
  assert.deepEqual([isPlanOver(plan), isPlanOver(stopped)], [false, true])
})

const anyChange: fc.Arbitrary<PlanPayment> = fc
  .record({
    state: fc.constantFrom('scheduled', 'charging', 'paid', 'failed', 'cancelled'),
    minor: fc.bigInt(1n, 100_000n),
    share: fc.bigInt(0n, 100n),
  })
  .map(({ state, minor, share }) => ({ state, minor, approvedMinor: (minor * share) / 100n }))

// $1,033.34 as cents, with its sign.
function cents(text = '0'): bigint {
  return BigInt(text.replace(/[$,.]/g, ''))
}

test('whatever became of its payments, the lines of a plan add up', () => {
  const anyPlan = fc.record({
    minor: fc.bigInt(100n, 1_000_000n),
    changes: fc.array(anyChange, { minLength: 1, maxLength: 20 }),
  })
  fc.assert(
    fc.property(anyPlan, ({ minor, changes }) => {
      const payments = changes.length
      const rows = rowsOf(planOf(termsOf(payments, minor), changes))
      const of = (...labels: string[]) => labels.reduce((sum, label) => sum + cents(rows[label]), 0n)
      const last = cents(rows['Last payment'] ?? rows['Each payment'])
      assert.equal(of('In all'), cents(rows['Each payment']) * BigInt(payments - 1) + last)
      if (!('As of' in rows)) return
      assert.equal(
        of('In all', 'Changed since', 'Cancelled', 'Not collected'),
        of('Collected', 'Being charged', 'Still to come'),
      )
    }),
    { numRuns: count({ full: 10_000, usual: 500 }) },
  )
})
