import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { givenBackBy, type Limits, obstacleTo, refusalOf } from '#capabilities/consents/consent-limits.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import type { Attempt, AttemptKind, AttemptState, Move } from '#engine/payments/attempt.ts'
import { currencyCode } from '#kernel/currency.ts'

const currency = usd()
const day = (text: string) => Temporal.PlainDate.from(text)

const limits: Limits = {
  state: 'active',
  startsOn: day('2027-01-15'),
  endsOn: day('2028-01-15'),
  currency,
  limitPerCharge: money(5_000n),
  limitLifetime: money(10_000n),
  used: money(5_001n),
}

describe('why a consent does not let a charge through', () => {
  const cases: readonly (readonly [string, Limits | null, { minor?: bigint; on?: string }, string])[] = [
    ['no such consent', null, {}, 'consent_not_found'],
    ['still pending', { ...limits, state: 'pending' }, {}, 'consent_not_found'],
    ['never made', { ...limits, state: 'not_made' }, {}, 'consent_not_found'],
    ['cancelled', { ...limits, state: 'cancelled' }, {}, 'consent_cancelled'],
    ['a day early', limits, { on: '2027-01-14' }, 'consent_not_begun'],
    ['a day late', limits, { on: '2028-01-16' }, 'consent_expired'],
    ['a cent too much', limits, { minor: 5_001n }, 'over_limit_per_charge'],
    ['nothing but the lifetime is left', limits, { minor: 5_000n, on: '2028-01-15' }, 'over_lifetime_limit'],
  ]
  for (const [sentence, found, { minor = 1n, on = '2027-01-15' }, kind] of cases) {
    test(sentence, () => {
      assert.equal(refusalOf({ consent: 10n, minor, on: day(on) }, found).kind, kind)
    })
  }
})

test('a charge of all that is left, on the first day and on the last, has nothing in its way', () => {
  for (const on of [limits.startsOn, limits.endsOn])
    assert.equal(obstacleTo({ consent: 10n, minor: 4_999n, on }, limits), null)
})

test('a charge that would fit again by now is told of the limit that it met', () => {
  const use = { consent: 10n, minor: 4_999n, on: limits.startsOn }
  assert.equal(refusalOf(use, limits).kind, 'over_lifetime_limit')
})

const detailsOf = (minor: bigint, changed: Partial<Limits> = {}) =>
  refusalOf({ consent: 10n, minor, on: day('2027-01-15') }, { ...limits, ...changed }).details

test('a charge over a limit is told how much there was room for', () => {
  assert.deepEqual(detailsOf(5_001n), { consent: 10n, asked: '50.01', limit: '50.00' })
  assert.deepEqual(detailsOf(5_000n), { consent: 10n, asked: '50.00', left: '49.99', limit: '100.00' })
  const lowered = detailsOf(1n, { limitLifetime: money(100n) })
  assert.deepEqual(lowered, { consent: 10n, asked: '0.01', left: '0.00', limit: '1.00' })
})

describe('what a move of 10.00, of which 4.00 may be approved, gives back', () => {
  const cases: readonly (readonly [AttemptKind, AttemptState, bigint])[] = [
    ['sale', 'approved', 0n],
    ['sale', 'partial', 600n],
    ['sale', 'declined', 1_000n],
    ['sale', 'not_sent', 1_000n],
    ['sale', 'reversed', 1_000n],
    ['sale', 'refused', 1_000n],
    ['sale', 'unknown', 0n],
    ['sale', 'reversal_due', 0n],
    ['sale', 'reversing', 0n],
    ['sale', 'manual', 0n],
    ['void', 'approved', 400n],
    ['void', 'declined', 0n],
    ['void', 'refused', 0n],
    ['void', 'unknown', 0n],
    ['credit', 'approved', 0n],
    ['verify', 'declined', 0n],
  ]
  for (const [kind, to, minor] of cases) {
    test(`${kind} to ${to}: ${minor}`, () => {
      assert.equal(givenBackBy(moveOf(kind, to)), minor)
    })
  }
})

function money(minor: bigint) {
  return { minor, currency }
}

function moveOf(kind: AttemptKind, to: AttemptState): Move {
  const amounts = amountsOf(money(1_000n), money(0n))
  const approved = amountsOf(money(400n), money(0n))
  return { attempt: { kind, amounts, approved } as Attempt, to } as Move
}

function usd() {
  const found = currencyCode('USD')
  assert.ok(found)
  return found
}
