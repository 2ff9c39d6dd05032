import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { paymentsAfter, plannedPayments, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'

function money(minor: bigint, code = 'USD'): Money {
  const currency = currencyCode(code)
  assert.ok(currency)
  return { minor, currency }
}

const startsOn = Temporal.PlainDate.from('2027-01-31')

describe('instalments', () => {
  const table: readonly (readonly [total: bigint, payments: number, usual: bigint, last: bigint])[] = [
    [100_000n, 12, 8_333n, 8_337n],
    [10_000n, 3, 3_333n, 3_334n],
    [10_000n, 4, 2_500n, 2_500n],
    [1n, 1, 1n, 1n],
    [1_199n, 1_200, 0n, 1_199n],
    [999_999_999_999n, 7, 142_857_142_857n, 142_857_142_857n],
  ]
  for (const [total, payments, usual, last] of table) {
    test(`${total} in ${payments} are ${usual} each and ${last} at the end`, () => {
      const made = plannedPayments({ period: 'MONTHLY', startsOn, payments, total: money(total) })
      assert.equal(usualPayment({ payments, total: money(total) }).minor, usual)
      assert.equal(made.length, payments)
      assert.equal(made.at(-1)?.amount.minor, last)
      assert.equal(
        made.reduce((sum, { amount }) => sum + amount.minor, 0n),
        total,
      )
      assert.equal(made.at(-1)?.remaining?.minor, 0n)
    })
  }

  test('sums of any size split to the smallest unit and nothing is lost', () => {
    for (let payments = 1; payments <= 60; payments += 1) {
      for (const total of [9_999n, 12_345n, 100_000n, 77_777_777n]) {
        const made = plannedPayments({ period: 'WEEKLY', startsOn, payments, total: money(total, 'JPY') })
        const left = made.map(({ amount, remaining }) => amount.minor + (remaining?.minor ?? 0n))
        assert.equal(left[0], total)
        assert.equal(
          made.reduce((sum, { amount }) => sum + amount.minor, 0n),
          total,
        )
      }
    }
  })
})

test('a subscription is always written twelve payments beyond the one that is done', () => {
  const plan = { period: 'MONTHLY', startsOn, payment: money(999n) } as const
  const more = paymentsAfter(plan, { done: 1, written: 12 })
  assert.deepEqual(
    more.map(({ paymentNumber, dueOn }) => [paymentNumber, dueOn.toString()]),
    [[13, '2028-01-31']],
  )
  assert.deepEqual(paymentsAfter(plan, { done: 1, written: 13 }), [])
  assert.equal(paymentsAfter(plan, { done: 5, written: 14 }).length, 3)
})
