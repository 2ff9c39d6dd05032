import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { requestReader } from '#capabilities/wire/read-request.ts'
import {
  LeavableAmount,
  LeavableEmail,
  LeavableNumber,
  WireAmount,
  WireEmail,
  WirePhone,
  WireId,
  WireLines,
  WireMoment,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'

const read = requestReader(
  Type.Object({
    ConsentID: WireId('A consent.'),
    User: Type.Optional(WireText(10, 'Who.')),
    MessageBody: Type.Optional(WireLines(20, 'A message.')),
    DueOn: Type.Optional(WireMoment('A date.')),
    Amounts: Type.Optional(
      Type.Object({ BaseAmt: WireAmount('Base.'), TotalAmt: Type.Optional(WireAmount('Total.')) }),
    ),
    SchedIDs: Type.Optional(Type.Array(WireId('An id.'), { maxItems: 3 })),
    SingleUse: Type.Optional(Type.Boolean()),
    Phone: Type.Optional(WirePhone('A number.')),
    Email: Type.Optional(WireEmail('An address.')),
    Mods: Type.Optional(
      Type.Object({
        NumDays: Type.Optional(LeavableNumber(10, 'Days.')),
        Limit: Type.Optional(LeavableAmount('A limit.')),
        Email: Type.Optional(LeavableEmail('An address.')),
      }),
    ),
  }),
)

const refused: readonly (readonly [body: unknown, kind: string, problem: string])[] = [
  [{}, 'missing_member', 'ConsentID is missing'],
  [{ ConsentID: null }, 'missing_member', 'ConsentID is missing'],
  [{ ConsentID: 1, Amounts: {} }, 'missing_member', 'Amounts.BaseAmt is missing'],
  [{ consentid: 1 }, 'missing_member', 'ConsentID is missing: consentid was sent, and capitals count'],
  [
    { ConsentID: 1, Amounts: { baseAmt: 5 } },
    'missing_member',
    'Amounts.BaseAmt is missing: baseAmt was sent, and capitals count',
  ],
  [{ ConsentID: 1, user: 'Ann' }, 'value_out_of_range', 'User was sent as user, and capitals count'],
  [
    { ConsentID: 1, User: 'Ann', user: 'Bob' },
    'value_out_of_range',
    'User was sent as user, too, and capitals count',
  ],
  [
    { ConsentID: 1, User: null, user: 'Bob' },
    'value_out_of_range',
    'User was sent as user, too, and capitals count',
  ],
  [
    { ConsentID: 1, Amount: { BaseAmt: 1 } },
    'value_out_of_range',
    'Amount is not known; did you mean Amounts?',
  ],
  [
    { ConsentID: 1, Amounts: { BaseAmt: 1, TotalAmnt: 5 } },
    'value_out_of_range',
    'Amounts.TotalAmnt is not known; did you mean TotalAmt?',
  ],
  [
    { ConsentID: 1, Amounts: { BaseAmt: 1, TotlaAmt: 5 } },
    'value_out_of_range',
    'Amounts.TotlaAmt is not known; did you mean TotalAmt?',
  ],
  [{ ConsnetID: 1 }, 'missing_member', 'ConsentID is missing: ConsnetID was sent'],
  [
    { ConsentID: 1, Amounts: { BaseAmt: 1, totalAmt: 5 } },
    'value_out_of_range',
    'Amounts.TotalAmt was sent as totalAmt, and capitals count',
  ],
  [{ ConsentID: 1, Amounts: { BaseAmt: '1e1' } }, 'wrong_type', 'Amounts.BaseAmt must be a number'],
  [{ ConsentID: 'one' }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: '' }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: '1.0' }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: '-1' }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: '0' }, 'value_out_of_range', 'ConsentID must be at least 1'],
  [{ ConsentID: '1234567890123456' }, 'value_out_of_range', 'ConsentID must be at most 999999999999999'],
  [{ ConsentID: 1.5 }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: true }, 'wrong_type', 'ConsentID must be a whole number'],
  [{ ConsentID: 1, User: 7 }, 'wrong_type', 'User must be a text'],
  [{ ConsentID: 1, SingleUse: 'yes' }, 'wrong_type', 'SingleUse must be true or false'],
  [{ ConsentID: 1, Amounts: [] }, 'wrong_type', 'Amounts must be an object'],
  [{ ConsentID: 1, Amounts: { BaseAmt: 'ten' } }, 'wrong_type', 'Amounts.BaseAmt must be a number'],
  [
    { ConsentID: 1, Amounts: { BaseAmt: '0.30000000000000004' } },
    'value_out_of_range',
    'Amounts.BaseAmt has more than 15 digits',
  ],
  [
    { ConsentID: 1, Amounts: { BaseAmt: ' 0.1000000000000000055511151231257827021181583404541015625 ' } },
    'value_out_of_range',
    'Amounts.BaseAmt has more than 15 digits',
  ],
  [{ ConsentID: 1, SchedIDs: {} }, 'wrong_type', 'SchedIDs must be a list'],
  [{ ConsentID: 1, SchedIDs: [1, 'x'] }, 'wrong_type', 'SchedIDs[1] must be a whole number'],
  [{ ConsentID: 1, SchedIDs: [1, null] }, 'wrong_type', 'SchedIDs[1] must be a whole number'],
  [{ ConsentID: 0 }, 'value_out_of_range', 'ConsentID must be at least 1'],
  [{ ConsentID: 10 ** 15 }, 'value_out_of_range', 'ConsentID must be at most 999999999999999'],
  [{ ConsentID: 1, Amounts: { BaseAmt: -1 } }, 'value_out_of_range', 'Amounts.BaseAmt must not be negative'],
  [
    { ConsentID: 1, Amounts: { BaseAmt: '-1' } },
    'value_out_of_range',
    'Amounts.BaseAmt must not be negative',
  ],
  [{ ConsentID: 1, Mods: { NumDays: -2 } }, 'value_out_of_range', 'Mods.NumDays must not be negative'],
  [{ ConsentID: 1, Mods: { NumDays: '5' } }, 'wrong_type', 'Mods.NumDays must be a whole number'],
  [{ ConsentID: 1, Email: 'nobody' }, 'value_out_of_range', 'Email is no e-mail address'],
  [{ ConsentID: 1, Email: '-1' }, 'value_out_of_range', 'Email is no e-mail address'],
  [{ ConsentID: 1, Mods: { Email: 'a b@c' } }, 'value_out_of_range', 'Mods.Email is no e-mail address'],
  [
    { ConsentID: 1, Phone: 'call me' },
    'value_out_of_range',
    'Phone is no phone number: it has 1 to 16 digits',
  ],
  [
    { ConsentID: 1, Phone: '12345678901234567' },
    'value_out_of_range',
    'Phone is no phone number: it has 1 to 16 digits',
  ],
  [{ ConsentID: 1, User: 'a name too long' }, 'value_out_of_range', 'User is longer than 10 characters'],
  [{ ConsentID: 1, SchedIDs: [1, 2, 3, 4] }, 'value_out_of_range', 'SchedIDs has more than 3 items'],
  [{ ConsentID: 1, SchedIDs: [1, 2, 3, 4, 'x', ''] }, 'value_out_of_range', 'SchedIDs has more than 3 items'],
  [[], 'malformed_request', 'the body must be an object'],
  ['text', 'malformed_request', 'the body must be an object'],
  [null, 'malformed_request', 'the body must be an object'],
]
for (const [body, kind, problem] of refused) {
  test(`${JSON.stringify(body)} is refused: ${problem}`, () => {
    assert.deepEqual(read(body), { ok: false, refusal: { kind, details: { problem } } })
  })
}

const accepted: readonly (readonly [what: string, body: object, read: object])[] = [
  [
    'unknown members are dropped',
    { ConsentID: 1, Extra: 1, Amounts: { BaseAmt: 1, X: 2 } },
    { ConsentID: 1, Amounts: { BaseAmt: 1 } },
  ],
  [
    'capitals do not matter where the member says the same as well, or where nothing was sent',
    { ConsentID: 1, consentid: 1, user: null },
    { ConsentID: 1 },
  ],
  [
    'null is the same as absent',
    { ConsentID: 1, User: null, Amounts: { BaseAmt: 1, TotalAmt: null } },
    { ConsentID: 1, Amounts: { BaseAmt: 1 } },
  ],
  [
    'an empty text and "-1" leave a number as it is',
    { ConsentID: 1, Mods: { NumDays: '-1', Limit: '', Email: '-1' } },
    { ConsentID: 1, Mods: { NumDays: -1, Limit: -1, Email: '-1' } },
  ],
  [
    'an id may be a text of digits',
    { ConsentID: ' 000057 ', SchedIDs: ['1', 2] },
    { ConsentID: 57, SchedIDs: [1, 2] },
  ],
  ['a name of four letters is not taken for a slip', { ConsentID: 1, Usr: 'Ann' }, { ConsentID: 1 }],
  ['an address may be empty', { ConsentID: 1, Email: ' ' }, { ConsentID: 1, Email: '' }],
  [
    'an address has letters of every language',
    { ConsentID: 1, Email: 'zoë@bücher.example' },
    { ConsentID: 1, Email: 'zoë@bücher.example' },
  ],
  [
    'a phone number is written in many ways',
    { ConsentID: 1, Phone: '+1 (212) 555-0123 ext. 7' },
    { ConsentID: 1, Phone: '+1 (212) 555-0123 ext. 7' },
  ],
  ['a phone number may be empty', { ConsentID: 1, Phone: '' }, { ConsentID: 1, Phone: '' }],
  ['texts are trimmed', { ConsentID: 1, User: '  Zoë  ' }, { ConsentID: 1, User: 'Zoë' }],
  [
    'an amount may be a numeric text',
    { ConsentID: 1, Amounts: { BaseAmt: ' 10.10 ' } },
    { ConsentID: 1, Amounts: { BaseAmt: 10.1 } },
  ],
  ['two halves of a character are one', { ConsentID: 1, User: '\ud83d\ude00' }, { ConsentID: 1, User: '😀' }],
  [
    'a message may have lines',
    { ConsentID: 1, MessageBody: 'a\n\tb' },
    { ConsentID: 1, MessageBody: 'a\n\tb' },
  ],
]
for (const [what, body, expected] of accepted) {
  test(what, () => assert.deepEqual(read(body), { ok: true, value: expected }))
}

for (const [member, text] of [
  ['User', 'a\nb'],
  ['User', 'a\u0000b'],
  ['User', 'a\u0085b'],
  ['MessageBody', 'a\rb'],
  ['User', 'a\ud800'],
  ['User', '\udc00\ud800b'],
  ['MessageBody', '\ud83d\n'],
]) {
  test(`what is no character in ${JSON.stringify(text)} is illegal in ${member}`, () => {
    const details = { member }
    assert.deepEqual(read({ ConsentID: 1, [String(member)]: text }), {
      ok: false,
      refusal: { kind: 'illegal_characters', details },
    })
  })
}

test('a member called __proto__ neither arrives nor changes anything', () => {
  const result = read(JSON.parse('{"ConsentID":1,"__proto__":{"polluted":true},"constructor":{"x":1}}'))
  assert.deepEqual(result, { ok: true, value: { ConsentID: 1 } })
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
})

test('several faults are told together', () => {
  const result = read({ User: 5, SchedIDs: 'x' })
  assert.ok(!result.ok)
  const { problem } = result.refusal.details
  assert.equal(problem, 'ConsentID is missing; User must be a text; SchedIDs must be a list')
})

test('whatever is sent, the reader answers and never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      const result = read(body)
      assert.equal(typeof result.ok, 'boolean')
    }),
    { numRuns: 5_000 },
  )
})
