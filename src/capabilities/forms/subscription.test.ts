import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { formOrder } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()
const thrice = { NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY' }
const nothing = { BaseAmt: 0, Surcharge: 0, TotalAmt: 0 }

type Row = readonly [what: string, changes: object, eFeatures: string, code: number, text: RegExp]
const plan = (changes: object) => ({ Amounts: nothing, Subscription: { ...thrice, ...changes } })

// The account's day is 2027-01-15.
const rows: readonly Row[] = [
  ['a plan', plan({}), '0001', 0, /./],
  ['a plan beside bits that mean nothing', plan({}), '0021', 0, /./],
  ['a plan without an end', plan({ NumPayments: 0, Period: 8 }), '1', 0, /./],
  ['a plan that begins tomorrow', plan({ StartDate: '1/16/2027' }), '0001', 0, /./],
  [
    'the bit without the object',
    { Amounts: nothing },
    '0001',
    4002,
    /InitParams\.Subscription is missing.*bit 0/,
  ],
  [
    'the object without the bit',
    plan({}),
    '0020',
    4003,
    /InitParams\.Subscription is taken only where .*eFeatures/,
  ],
  ['the object with the bit of wallets', plan({}), '0005', 6602, /wallets/],
  ['an authorization only', plan({}), '0009', 6602, /authorization only/],
  [
    'an amount beside it',
    { ...plan({}), Amounts: { BaseAmt: 5 } },
    '0001',
    4003,
    /InitParams\.Amounts is not taken/,
  ],
  [
    'a first day in the past',
    plan({ StartDate: '2027-01-14' }),
    '0001',
    4003,
    /Subscription\.StartDate is in the past/,
  ],
  [
    'a period that is none',
    plan({ Period: 'DAILY' }),
    '0001',
    4003,
    /Subscription\.Period is none of 1 WEEKLY/,
  ],
  ['a total of 0', plan({ TotalAmount: 0 }), '0001', 4003, /Subscription\.TotalAmount must be more than 0/],
  ['a total that cannot be split', plan({ TotalAmount: 0.02 }), '0001', 4003, /TotalAmount is too small/],
  ['half a cent', plan({ TotalAmount: 1.005 }), '0001', 4003, /TotalAmount has more decimals than USD has/],
  [
    'too much at once',
    plan({ TotalAmount: 400_000 }),
    '0001',
    4003,
    /TotalAmount makes a payment of more than/,
  ],
]
for (const [what, changes, eFeatures, code, text] of rows)
  test(`a form with ${what} is ${code === 0 ? 'made' : 'refused by name'}`, async () => {
    const told = await call(await openTill(world()), initFormContract.path, formOrder(changes, { eFeatures }))
    assert.equal(told.code, code, told.text)
    if (code !== 0) assert.match(told.text, text)
  })
