import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import { printMoney } from '#kernel/money.ts'
import { formOrder, look, openForm, press } from '../../../test/support/form-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()
const credit = '4242424242424242'
const debit = '4000056655665556'
const amex = '378282246310005'
const surcharge = { feeKind: 'surcharge', feeBasisPoints: 400, region: 'TX' } as const
const convenience = { feeKind: 'convenience', feeFixedMinor: 250n, region: 'TX' } as const

async function openRecord(settings: Partial<MerchantSettings>) {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account, settings)
  return till
}

type Row = readonly [
  amounts: readonly [base: number, fee: number | undefined, total?: number],
  settings: Partial<MerchantSettings>,
  card: string,
  total: string,
  why: string,
]
// On $20.00 Visa credit costs $0.60 here, American Express $0.80 and a debit card nothing.
const rows: readonly Row[] = [
  [[20, 0.2, 20.2], surcharge, credit, '20.20', 'a smaller fee is the fee'],
  [[20, 0.2], surcharge, credit, '20.20', 'the total may be left out'],
  [[20, 0.6, 20.6], surcharge, credit, '20.60', 'the fee that CalcFees returns is accepted'],
  [[20, 0.61, 20.61], surcharge, credit, '20.60', 'a larger one is clamped'],
  [[20, 0.7, 20.7], surcharge, amex, '20.70', 'a card that may cost more is charged what was asked'],
  [[20, 0.2, 20.2], surcharge, debit, '20.00', 'a debit card carries no surcharge'],
  [
    [20, 0.2, 20.2],
    { ...surcharge, region: 'CT' },
    credit,
    '20.00',
    'nor does any card where it is forbidden',
  ],
  [[20, 1, 21], convenience, debit, '21.00', 'a convenience fee can be smaller, too'],
  [[20, 5, 25], convenience, credit, '22.50', 'and is clamped'],
  [[20, 0, 99], surcharge, credit, '20.60', 'a fee of 0 leaves it to the form, whatever the total'],
  [[20, undefined, 20.2], surcharge, credit, '20.60', 'so does no fee'],
  [[20, undefined, 20], surcharge, credit, '20.60', 'and a total without the fee'],
]

describe('a Surcharge that InitForm was given', () => {
  for (const [[BaseAmt, Surcharge, TotalAmt], settings, number, total, why] of rows)
    test(`of ${Surcharge} on ${BaseAmt} makes ${total} with ${number}: ${why}`, async () => {
      const till = await openRecord(settings)
      const guest = await openForm(till, { MerchID: 2, Amounts: { BaseAmt, Surcharge, TotalAmt } })
      const card = { number, code: number === amex ? '1234' : '123' }
      const quoted = await press(guest, card)
      // The page names the amount without a fee: another total is shown first.
      const shown = quoted.kind === 'review' ? printMoney(quoted.price.total) : '20.00'
      assert.equal(shown, total)
      if (quoted.kind === 'review') {
        const minor = String(quoted.price.total.minor)
        assert.equal((await press(guest, { ...card, total: minor })).kind, 'paid')
      }
      const { attempt } = await look(guest)
      assert(attempt)
      assert.equal(printMoney(attempt.approved.total), total)
      assert.equal(printMoney(attempt.approved.base), '20.00')
    })

  const typed = { eVisible: 'A063', eReadOnly: '0000' }
  for (const [amount, total] of [
    ['20', '20.20'],
    ['100', '100.20'],
    ['5', '5.15'],
  ] as const)
    test(`is clamped by the amount that the payer types: ${amount} makes ${total}`, async () => {
      const till = await openRecord(surcharge)
      const Amounts = { BaseAmt: 20, Surcharge: 0.2 }
      const guest = await openForm(till, { MerchID: 2, Amounts }, typed)
      const quoted = await press(guest, { number: credit, amount })
      assert(quoted.kind === 'review')
      const { total: sum } = quoted.price
      assert.equal(printMoney(sum), total)
      const paid = await press(guest, { number: credit, amount, total: String(sum.minor) })
      assert.equal(paid.kind, 'paid')
    })

  const refused = [
    [
      { BaseAmt: 20, Surcharge: 0.2, TotalAmt: 20.6 },
      2,
      6202,
      /TotalAmt 20\.60 is not BaseAmt plus Surcharge/,
    ],
    [{ BaseAmt: 20, Surcharge: 0.2, TotalAmt: 20 }, 2, 6202, /which is 20\.20/],
    [{ BaseAmt: 20, Surcharge: 0.2 }, 1, 6201, /no fees configured/],
    [{ BaseAmt: 20, Surcharge: 0.005 }, 2, 4003, /Surcharge has more decimals than USD has/],
    [{ Surcharge: 0.2 }, 2, 4002, /Amounts\.BaseAmt is missing/],
  ] as const
  for (const [Amounts, MerchID, code, text] of refused)
    test(`is refused as ${JSON.stringify(Amounts)} at record ${MerchID}`, async () => {
      const till = await openRecord(surcharge)
      const told = await call(till, initFormContract.path, formOrder({ MerchID, Amounts }))
      assert.equal(told.code, code, told.text)
      assert.match(told.text, text)
    })
})
