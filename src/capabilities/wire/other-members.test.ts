import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { nothingBeside, plainRules } from '#capabilities/wire/other-members.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { WireAmount } from '#capabilities/wire/scalars.wire.ts'

const card = Type.Object({
  Number: Type.String(),
  CSV: Type.Optional(Type.String({ maxLength: 4, 'x-aliases': ['CVV', 'CVV2'] })),
  Holder: Type.Optional(
    Type.Object({ City: Type.Optional(Type.String()) }, { 'x-aliases': ['BillingAddress'] }),
  ),
  Country: Type.Optional(Type.String()),
  User: Type.Optional(Type.String()),
  Items: Type.Optional(Type.Array(Type.Object({ Price: WireAmount('A price.') }))),
  Currency: Type.Optional(Type.String({ maxLength: 3 })),
})
const readCard = requestReader(card, {
  namesMoney: true,
  isKnownElsewhere: (name) => name === 'County',
  isOfTransport: (name) => name === 'SessKey',
})
const problemOf = (body: object) => {
  const result = readCard(body)
  assert(!result.ok)
  return [result.refusal.kind, result.refusal.details['problem']]
}

for (const [body, expected] of [
  [
    { Number: '4', CVV: ' 123 ' },
    { Number: '4', CSV: '123' },
  ],
  [
    { CVV2: '123', Number: '4' },
    { Number: '4', CSV: '123' },
  ],
  [
    { Number: '4', CSV: null, CVV: '123' },
    { Number: '4', CSV: '123' },
  ],
  [
    { Number: '4', CSV: '123', CVV: ' 123' },
    { Number: '4', CSV: '123' },
  ],
  [{ Number: '4', CVV: null, CVV2: null }, { Number: '4' }],
  [
    { Number: '4', CSV: '', CVV: '123' },
    { Number: '4', CSV: '123' },
  ],
  [
    { Number: '4', CVV: ' ', CSV: '123' },
    { Number: '4', CSV: '123' },
  ],
  [
    { BillingAddress: { City: ' Bonn ' }, Number: '4' },
    { Number: '4', Holder: { City: 'Bonn' } },
  ],
  [
    { Number: '4', BillingAddress: { City: 'Bonn ' }, Holder: { City: 'Bonn' } },
    { Number: '4', Holder: { City: 'Bonn' } },
  ],
] as const) {
  test(`${JSON.stringify(body)} is read under the names of the contract, in its order`, () => {
    const result = readCard(body)
    assert(result.ok)
    assert.equal(JSON.stringify(result.value), JSON.stringify(expected))
  })
}

for (const [body, kind, problem] of [
  [{ Number: '4', CSV: '123', CVV: '124' }, 'value_out_of_range', 'CSV and CVV differ'],
  [{ Number: '4', CVV: '123', CVV2: '124' }, 'value_out_of_range', 'CSV and CVV2 differ'],
  [
    { Number: '4', Holder: { City: 'Bonn' }, BillingAddress: {} },
    'value_out_of_range',
    'Holder and BillingAddress differ',
  ],
  [{ Number: '4', CVV: '12345' }, 'value_out_of_range', 'CSV is longer than 4 characters'],
  [{ Number: '4', CVV: 123 }, 'wrong_type', 'CSV must be a text'],
  [{ Number: '4', cvv: '123' }, 'value_out_of_range', 'CSV was sent as cvv, and capitals count'],
  [
    { Number: '4', BillingAdress: {} },
    'value_out_of_range',
    'BillingAdress is not known; did you mean BillingAddress?',
  ],
  [
    { Number: '4', currency: 'EUR' },
    'value_out_of_range',
    'Currency was sent as currency, and capitals count',
  ],
  [
    { Number: '4', Holder: { currency: 'EUR' } },
    'value_out_of_range',
    'Holder.Currency was sent as currency, and capitals count',
  ],
  [{ Number: '4', Currency: 978 }, 'wrong_type', 'Currency must be a text'],
  [{ Number: '4', Holder: { Currency: 978 } }, 'wrong_type', 'Holder.Currency must be a text'],
  ...['Capture', 'Tip', 'Tax', 'Discount', 'Installments', 'tip'].map(
    (name) =>
      [
        { Number: '4', Holder: { [name]: 0 } },
        'value_out_of_range',
        `Holder.${name} would change the amount or its moment, which this operation cannot do`,
      ] as const,
  ),
] as const) {
  test(`${JSON.stringify(body)} is refused: ${problem}`, () => {
    assert.deepEqual(problemOf(body), [kind, problem])
  })
}

test('currencies are returned beside the body, wherever they stand, and are not part of it', () => {
  const beside = nothingBeside()
  const body = {
    Number: '4',
    Currency: ' usd',
    Holder: { Currency: 'EUR' },
    Items: [{ Price: 1, Currency: '' }],
  }
  assert.deepEqual(readCard(body, beside), {
    ok: true,
    value: { Number: '4', Holder: {}, Items: [{ Price: 1 }] },
  })
  assert.deepEqual(beside.currencies, [
    { member: 'Holder.Currency', currency: 'EUR' },
    { member: 'Currency', currency: 'USD' },
  ])
  assert.deepEqual([...beside.ignored], [])
})

test('what is ignored is returned by its path, once for all items of a list', () => {
  const beside = nothingBeside()
  const result = readCard(
    {
      Number: '4',
      Shoe: { Size: 44, Tip: 1 },
      County: 'Cook',
      SessKey: 'k',
      Empty: null,
      Usr: 'Ann',
      Holder: { SessKey: 'k' },
      Items: [
        { Price: 1, Colour: 'red' },
        { Price: 2, Colour: 'blue' },
      ],
    },
    beside,
  )
  assert(result.ok)
  assert.deepEqual([...beside.ignored], ['Holder.SessKey', 'Items.Colour', 'Shoe', 'County', 'Usr'])
})

test('where no money is moved, a tip and a currency are ignored as everything else', () => {
  const beside = nothingBeside()
  const readPlain = requestReader(Type.Object({ Query: Type.String() }), plainRules)
  assert.deepEqual(readPlain({ Query: '', Tip: 1, Currency: 'EUR' }, beside), {
    ok: true,
    value: { Query: '' },
  })
  assert.deepEqual([...beside.ignored], ['Tip', 'Currency'])
})

test('of a body of nothing but unknown members a hundred are judged and noted', () => {
  const beside = nothingBeside()
  const many = Array.from({ length: 24_000 }, (_, at) => [`x${at}`, 1])
  assert(readCard({ Number: '4', ...Object.fromEntries(many), Countr: 'US' }, beside).ok)
  assert.equal(beside.ignored.size, 100)
  assert.deepEqual(problemOf({ Number: '4', ...Object.fromEntries(many), country: 'US' }), [
    'value_out_of_range',
    'Country was sent as country, and capitals count',
  ])
})
