import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTrack } from '#kernel/card-track.ts'
import { Secret } from '#kernel/secret.ts'
import { anyStripe } from '../../test/support/any-track.ts'
import { count } from '../../test/support/counts.ts'

const read = (text: string) => readTrack(new Secret(text))
const numRuns = count({ full: 100_000, usual: 1_000 })
const name = 'DOE/JANE'

const tracks = [
  [`%B4111111111111111^${name}^3012101123456789?`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012101123456789?X`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012101?`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012^?`, '4111111111111111', 12, 2030],
  ['%B4111111111111111^AB^3012101^A^B?', '4111111111111111', 12, 2030],
  [`%B4111111111111111^${'A'.repeat(26)}^3012101?`, '4111111111111111', 12, 2030],
  [`%B378282246310005^O'NEIL/ANN.DR^2901201?`, '378282246310005', 1, 2029],
  [`%B4111111111111111^${name}^3012101?;4111111111111111=3012201?`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012101?X;4111111111111111=3012101?9`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012101?;;4111111111111111=3012101?`, '4111111111111111', 12, 2030],
  [`%B4111111111111111^${name}^3012101?;`, '4111111111111111', 12, 2030],
  [';4111111111111111=30121011234567890?', '4111111111111111', 12, 2030],
  [';4111111111111111=30121011234567890?:', '4111111111111111', 12, 2030],
  [';4111111111111111=3012=?', '4111111111111111', 12, 2030],
  [';6011111111111117=2608101?', '6011111111111117', 8, 2026],
] as const
for (const [text, number, month, year] of tracks) {
  test(`${text} holds ${number} and ${month}/${year}`, () => {
    const track = read(text)
    assert('number' in track, 'problem' in track ? track.problem : '')
    assert.deepEqual([track.number.reveal(), track.expiry], [number, { month, year }])
  })
}

const oneAt = 'cannot be read as track 1: expected'
const twoAt = 'cannot be read as track 2: expected'
const refused = [
  ['', 'must start with %B (track 1) or ; (track 2)'],
  ['4111111111111111=30121011234567890?', 'must start with %B (track 1) or ; (track 2)'],
  [`B4111111111111111^${name}^3012101?`, 'must start with %B (track 1) or ; (track 2)'],
  [`+4111111111111111=3012101?`, 'must start with %B (track 1) or ; (track 2)'],
  [`%A4111111111111111^${name}^3012101?`, `${oneAt} %B at its start`],
  [`%b4111111111111111^${name}^3012101?`, `${oneAt} %B at its start`],
  [`%B4111 1111 1111 1111^${name}^3012101?`, `${oneAt} a number of at most 19 digits and ^ behind %B`],
  [`%B^${name}^3012101?`, `${oneAt} a number of at most 19 digits and ^ behind %B`],
  [`%B${'4'.repeat(20)}^${name}^3012101?`, `${oneAt} a number of at most 19 digits and ^ behind %B`],
  [`%B4111111111111111=3012101?`, `${oneAt} a number of at most 19 digits and ^ behind %B`],
  [
    '%B4111111111111111^D^3012101?',
    `${oneAt} a name of 2 to 26 characters, no small letters, and ^ behind the number`,
  ],
  [
    `%B4111111111111111^${'A'.repeat(27)}^3012101?`,
    `${oneAt} a name of 2 to 26 characters, no small letters, and ^ behind the number`,
  ],
  [
    '%B4111111111111111^Doe/Jane^3012101?',
    `${oneAt} a name of 2 to 26 characters, no small letters, and ^ behind the number`,
  ],
  [`%B4111111111111111^${name}^^101?`, `${oneAt} an expiry YYMM behind the name`],
  [`%B4111111111111111^${name}^301?`, `${oneAt} an expiry YYMM behind the name`],
  [`%B4111111111111111^${name}^301210?`, `${oneAt} a service code of three digits behind the expiry`],
  [`%B4111111111111111^${name}^30121A1?`, `${oneAt} a service code of three digits behind the expiry`],
  [`%B4111111111111111^${name}^3012101123456789`, `${oneAt} ? at its end`],
  [`%B4111111111111111^${name}^3012101abc?`, `${oneAt} ? at its end`],
  [`%B4111111111111111^${name}^3012101%?`, `${oneAt} ? at its end`],
  [`%B4111111111111111^${name}^3012101?XY`, `${oneAt} one check character behind ?, or nothing`],
  [
    `%B4111111111111111^${name}^3012101?;4242424242424242=3012101?`,
    'holds two tracks that differ in number or expiry',
  ],
  [
    `%B4111111111111111^${name}^3012101?;4111111111111111=3011101?`,
    'holds two tracks that differ in number or expiry',
  ],
  [`%B4111111111111111^${name}^3012101?;4111111111111111=3012101`, `${twoAt} ? at its end`],
  [`%B4111111111111111^${name}^3012101?;4111111111111112=3012101?`, 'does not hold a card number'],
  [
    `;4111111111111111=3012101?%B4111111111111111^${name}^3012101?`,
    `${twoAt} one check character behind ?, or nothing`,
  ],
  [
    ';4111111111111111=3012101?;4111111111111111=3012101?',
    `${twoAt} one check character behind ?, or nothing`,
  ],
  [`%B4111111111111111^${name}^3012101${'1'.repeat(43)}?`, 'is longer than track 1 can be'],
  [';4111111111111111^3012101?', `${twoAt} a number of at most 19 digits between ; and =`],
  [';4111-1111-1111-1111=3012101?', `${twoAt} a number of at most 19 digits between ; and =`],
  [`;${'4'.repeat(20)}=3012101?`, `${twoAt} a number of at most 19 digits between ; and =`],
  [';4111111111111111D3012101?', `${twoAt} a number of at most 19 digits between ; and =`],
  [';4111111111111111==101?', `${twoAt} an expiry YYMM behind the number`],
  [';4111111111111111=3012?', `${twoAt} a service code of three digits behind the expiry`],
  [';4111111111111111=3012101', `${twoAt} ? at its end`],
  [';4111111111111111=3012101X?', `${twoAt} ? at its end`],
  [';4111111111111111=3012101?X', `${twoAt} one check character behind ?, or nothing`],
  [';4111111111111111=3012101\n?', `${twoAt} ? at its end`],
  [`;4111111111111111=3012101${'1'.repeat(15)}?`, 'is longer than track 2 can be'],
  [';4111111111111112=3012101?', 'does not hold a card number'],
  [';41111111=3012101?', 'does not hold a card number'],
  [`%B4111111111111112^${name}^3012101?`, 'does not hold a card number'],
  [';4111111111111111=3013101?', 'holds an expiry whose month is not 01 to 12'],
  [';4111111111111111=3000101?', 'holds an expiry whose month is not 01 to 12'],
] as const
for (const [text, problem] of refused) {
  test(`${JSON.stringify(text)} ${problem}`, () => assert.deepEqual(read(text), { problem }))
}

test('both tracks of any stripe hold its number and expiry, also together', () => {
  fc.assert(
    fc.property(anyStripe, ({ number, month, year, one, two }) => {
      for (const text of [one, two, one + two]) {
        const track = read(text)
        assert('number' in track, text)
        assert.deepEqual([track.number.reveal(), track.expiry], [number, { month, year }])
      }
    }),
    { numRuns },
  )
})

test('a track that is cut off anywhere before its end is refused', () => {
  fc.assert(
    fc.property(anyStripe, fc.boolean(), fc.nat(), ({ one, two }, isOne, nat) => {
      const text = isOne ? one : two
      assert('problem' in read(text.slice(0, nat % text.indexOf('?'))))
    }),
    { numRuns },
  )
})

// But a separator, which makes another number of the same digits.
const mark = fc.string({ minLength: 1, maxLength: 1 }).filter((one) => !'=^'.includes(one))

test('a track of which one character is another one holds the same number or is refused', () => {
  fc.assert(
    fc.property(anyStripe, fc.boolean(), fc.nat(), mark, (stripe, isOne, nat, other) => {
      const text = isOne ? stripe.one : stripe.two
      const at = nat % text.length
      const track = read(text.slice(0, at) + other + text.slice(at + 1))
      if ('number' in track) assert.equal(track.number.reveal(), stripe.number)
    }),
    { numRuns },
  )
})

test('no text is a fault, and a problem never repeats anything of a track', () => {
  fc.assert(
    fc.property(anyStripe, fc.string(), fc.nat(), ({ one, two, number }, noise, nat) => {
      for (const text of [
        noise,
        `%B${noise}`,
        `;${noise}`,
        ...[one, two].map((track) => track.slice(0, nat % 30) + noise),
      ]) {
        const track = read(text)
        if ('problem' in track) assert(!track.problem.includes(number.slice(0, 4)), track.problem)
      }
    }),
    { numRuns },
  )
})
