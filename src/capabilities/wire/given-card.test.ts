import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cardFromWire, type CardInfo, comparableCard } from '#capabilities/wire/card-info.wire.ts'
import { count } from '../../../test/support/counts.ts'
import { anyStripe } from '../../../test/support/any-track.ts'

const number = '4111111111111111'
const one = `%B${number}^DOE/JANE^3012101123456789?`
const two = `;${number}=30121011234567890?`
const typed = { AccountNumber: number, ExpMonth: 12, ExpYear: 2030 }

const taken: readonly (readonly [string, CardInfo])[] = [
  ['typed number and expiry', typed],
  ['track 1 alone', { Track: one }],
  ['track 2 alone', { Track: two }],
  ['a track and an empty number', { AccountNumber: '', Track: two }],
  ['a track and what is left empty', { AccountNumber: '', ExpMonth: 0, ExpYear: 0, Track: two }],
  ['a track and the same number', { AccountNumber: '4111-1111 1111 1111', Track: two }],
  ['a track and the same expiry, its year in two digits', { ExpMonth: 12, ExpYear: 30, Track: one }],
  ['a track and all of the same', { ...typed, Track: one }],
  ['an empty track', { ...typed, Track: '' }],
]
for (const [what, body] of taken) {
  test(`${what} is a card`, () => {
    const read = cardFromWire({ ...body, CSV: '123' })
    assert(read.ok)
    const { number: held, expiry, securityCode } = read.value
    assert.deepEqual(
      [held.reveal(), expiry, securityCode?.reveal()],
      [number, { month: 12, year: 2030 }, '123'],
    )
  })
}

const missing = (...names: readonly string[]) =>
  ['missing_member', names.map((name) => `ccCardInfo.${name} is missing`).join('; ')] as const
const other = (names: string) =>
  [
    'invalid_card',
    `ccCardInfo.Track holds another value than ${names}: send the same, or the track alone`,
  ] as const

const refused: readonly (readonly [string, CardInfo, readonly [string, string]])[] = [
  ['nothing', {}, missing('AccountNumber', 'ExpMonth', 'ExpYear')],
  ['no number', { ExpMonth: 12, ExpYear: 30 }, missing('AccountNumber')],
  ['an empty track and no expiry', { AccountNumber: number, Track: '' }, missing('ExpMonth', 'ExpYear')],
  [
    'an empty number',
    { ...typed, AccountNumber: '' },
    ['invalid_card', 'ccCardInfo.AccountNumber is not a card number'],
  ],
  [
    'half a track',
    { ...typed, Track: two.slice(0, -1) },
    ['invalid_card', 'ccCardInfo.Track cannot be read as track 2: expected ? at its end'],
  ],
  ['another number', { AccountNumber: '4242424242424242', Track: one }, other('ccCardInfo.AccountNumber')],
  ['a number that is none', { AccountNumber: 'x', Track: two }, other('ccCardInfo.AccountNumber')],
  ['another month', { ...typed, ExpMonth: 11, Track: two }, other('ccCardInfo.ExpMonth')],
  ['another year', { ...typed, ExpYear: 31, Track: two }, other('ccCardInfo.ExpYear')],
  ['a year of another century', { ...typed, ExpYear: 1930, Track: two }, other('ccCardInfo.ExpYear')],
  [
    'three other values',
    { AccountNumber: '4242424242424242', ExpMonth: 1, ExpYear: 31, Track: one },
    other('ccCardInfo.AccountNumber and ccCardInfo.ExpMonth and ccCardInfo.ExpYear'),
  ],
  [
    'a code of two digits',
    { Track: one, CSV: '12' },
    ['invalid_card', 'ccCardInfo.CSV has three or four digits'],
  ],
]
for (const [what, body, [kind, problem]] of refused) {
  test(`${what} is refused by name`, () => {
    const read = cardFromWire(body)
    assert(!read.ok)
    assert.deepEqual([read.refusal.kind, read.refusal.details['problem']], [kind, problem])
  })
}

// What is compared under an idempotency key has neither security code nor track.
const comparable = [
  [{ ...typed, CSV: '123' }, typed],
  [{ Track: one, CSV: '123' }, typed],
  [{ Track: two }, typed],
  [{ AccountNumber: '4111 1111 1111 1111', ExpYear: 30, Track: two }, typed],
  [
    { ...typed, ExpMonth: 11, Track: two },
    { ...typed, ExpMonth: 11, Track: 'unreadable' },
  ],
  [
    { ...typed, Track: 'swiped' },
    { ...typed, Track: 'unreadable' },
  ],
] as const
for (const [body, text] of comparable) {
  test(`${JSON.stringify(body)} is compared as ${JSON.stringify(text)}`, () => {
    assert.equal(JSON.stringify(comparableCard(body)), JSON.stringify(text))
  })
}

test('any stripe is the card that its number and expiry make when they are typed', () => {
  fc.assert(
    fc.property(
      anyStripe,
      ({ number: AccountNumber, month: ExpMonth, year: ExpYear, one: first, two: second }) => {
        const byHand = { AccountNumber, ExpMonth, ExpYear }
        for (const Track of [first, second]) {
          assert.deepEqual(cardFromWire({ Track }), cardFromWire(byHand))
          assert.deepEqual(cardFromWire({ ...byHand, Track }), cardFromWire(byHand))
          assert.deepEqual(comparableCard({ Track }), comparableCard(byHand))
        }
      },
    ),
    { numRuns: count({ full: 20_000, usual: 500 }) },
  )
})
