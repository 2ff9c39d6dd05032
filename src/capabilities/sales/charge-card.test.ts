import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard, repeatCharge } from '#capabilities/sales/charge-card.operation.ts'
import type { ChargeResult } from '#capabilities/wire/charge.wire.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { currencyCode } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { eventsOf, paymentsOf, postedMinor } from '../../../test/support/consent-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const operation = serve(chargeCardContract, chargeCard, repeatCharge)
const visa = '4111111111111111'

type Told = {
  readonly code: number
  readonly text: string
  readonly result: WireOf<typeof ChargeResult>
}

// Five dollars by a good card, unless something else is said.
function saleWith(changes: object): object {
  return { ccCardInfo: cardOf(visa), Amounts: { BaseAmt: 5 }, MerchID: 1, ...changes }
}

function cardOf(AccountNumber: string, ExpMonth = 12, ExpYear = 30) {
  return { AccountNumber, ExpMonth, ExpYear }
}

async function charge({ needs, caller }: Till, body: object): Promise<Told> {
  const answer = await operation.answer(needs, caller, body)
  if (answer.ok) {
    const result = answer.reply.members as WireOf<typeof ChargeResult>
    return { code: 0, text: answer.reply.message, result }
  }
  const { ErrCode: code, RespMsg: text } = refusedEnvelope(answer.refusal)
  return { code, text, result: answer.members as WireOf<typeof ChargeResult> }
}

async function attemptOf({ needs, account }: Till, { result }: Told): Promise<Attempt> {
  const key = { account: account.accountId, attempt: attemptId(BigInt(result.TxID)) }
  const attempt = await findAttemptOf(needs, key)
  assert(attempt)
  return attempt
}

async function standing({ needs: { bank } }: Till): Promise<readonly string[]> {
  const lines: string[] = []
  const [from, to] = [
    Temporal.Instant.from('2020-01-01T00:00:00Z'),
    Temporal.Instant.from('2040-01-01T00:00:00Z'),
  ]
  for await (const { reply, reversedAt } of bank.log.report(from, to)) {
    if (reply.outcome === 'approved') lines.push(`${reply.approvedMinor}${reversedAt ? ' reversed' : ''}`)
  }
  return lines
}

test('a good card is approved, with the letters for address and security code', async () => {
  const shop = await openTill(world())
  const told = await charge(shop, chargeCardContract.example.request)
  const { TxID, TxnCode } = told.result
  assert.equal(told.text, `APPROVED ${TxnCode}`)
  assert.match(TxnCode, /^\w{6}$/)
  assert(TxID > 0)
  assert.deepEqual(told.result, { ...chargeCardContract.example.result, TxID, TxnCode })
})

test('of the card only brand, last four digits and expiry are kept', async () => {
  const shop = await openTill(world())
  const attempt = await attemptOf(shop, await charge(shop, chargeCardContract.example.request))
  const { lastFour, brand, expiry, service, clientRef, guid, user, userId } = attempt.details
  assert.deepEqual(
    [lastFour, brand, expiry, service, clientRef, guid, user, userId],
    ['1111', 'VI', '12/30', 'Two books', 'order-1001', 'basket-7', 'Till 1', String(shop.caller.userId)],
  )
  assert(
    !JSON.stringify(attempt, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes(
      visa,
    ),
  )
})

const addresses: readonly [string, object, string][] = [
  ['a street and zip that both fit', { Address1: '1 Main Street', ZIP: '62701' }, 'Y'],
  ['a zip that alone fits', { Address1: '1 Main Street', ZIP: '46217' }, 'Z'],
  ['a street that alone fits', { Address1: '1 Main Street', ZIP: '46201' }, 'A'],
  ['an address that does not fit', { Address1: '1 Main Street', ZIP: '46205' }, 'N'],
  ['no address', {}, ''],
]
for (const [what, BillIngAdress, letter] of addresses) {
  test(`${what} is told by the letter ${JSON.stringify(letter)}`, async () => {
    const body = saleWith({ AcctHolder: { BillIngAdress } })
    const { result } = await charge(await openTill(world()), body)
    assert.deepEqual([result.TxApproved, result.AVSresult, result.CVVresult], [true, letter, ''])
  })
}

test('a wrong security code is told by its letter, and some issuers decline it', async () => {
  const shop = await openTill(world())
  const ask = (number: string) => charge(shop, saleWith({ ccCardInfo: { ...cardOf(number), CSV: '999' } }))
  const lenient = await ask('4000000000000101')
  assert.deepEqual([lenient.result.TxApproved, lenient.result.CVVresult], [true, 'N'])
  const strict = await ask('4000000000000127')
  assert.deepEqual(
    [strict.code, strict.text, strict.result.TxApproved, strict.result.CVVresult],
    [0, 'DECLINED: wrong security code', false, 'N'],
  )
})

const declines: readonly [string, string, string][] = [
  ['4000000000000002', '05', 'DECLINED: the issuer gives no reason'],
  ['4000000000009995', '51', 'DECLINED: insufficient funds'],
  ['4000000000009987', '41', 'DECLINED: lost card'],
  ['4000000000009979', '43', 'DECLINED: stolen card'],
  ['4000000000000069', '54', 'DECLINED: expired card'],
  ['4000000000000119', '96', 'DECLINED: processing error'],
]
for (const [number, code, text] of declines) {
  test(`the card ending in ${number.slice(-4)} is declined with ${code}, and that is no error`, async () => {
    const told = await charge(await openTill(world()), saleWith({ ccCardInfo: cardOf(number) }))
    assert.deepEqual([told.code, told.text], [0, text])
    const { TxApproved, TxnCode, ResponseApprovedAmount, ApprovedAmounts } = told.result
    assert.deepEqual([TxApproved, TxnCode, ResponseApprovedAmount], [false, code, 0])
    assert.deepEqual(ApprovedAmounts, { BaseAmt: 0, Surcharge: 0, TotalAmt: 0 })
    assert(told.result.TxID > 0)
  })
}

test('an issuer that wants to be called is told as such', async () => {
  const { text, result } = await charge(await openTill(world()), saleWith({ Amounts: { BaseAmt: 9900.01 } }))
  assert.deepEqual([text, result.RequiresVoiceAuth, result.TxApproved], ['CALL ISSUER', true, false])
})

const badCard = '4111111111111112'
const refusals: readonly [string, object, number, RegExp][] = [
  ['a number that is not a card', { ccCardInfo: cardOf(badCard) }, 55716, /AccountNumber is not a card/],
  [
    'a month that does not exist',
    { ccCardInfo: cardOf(visa, 13) },
    55716,
    /ccCardInfo\.ExpMonth and ccCardInfo\.ExpYear are not a month and a year/,
  ],
  ['a card whose month is over', { ccCardInfo: cardOf(visa, 12, 26) }, 6106, /expired 12\/26/],
  ['a merchant record that is not there', { MerchID: 9 }, 6001, /no merchant record 9$/],
  ['no amount', { Amounts: {} }, 4002, /Amounts.BaseAmt is missing/],
  ['an amount of 0', { Amounts: { BaseAmt: 0 } }, 4003, /more than 0/],
  ['a tenth of a cent', { Amounts: { BaseAmt: 5.001 } }, 4003, /Amounts.BaseAmt has more decimals than USD/],
  ['the same by its other name', { Amounts: { Amount: 5.001 } }, 4003, /Amounts.Amount has more/],
  ['a total with a tenth of a cent', { Amounts: { BaseAmt: 5, TotalAmt: 5.001 } }, 4003, /TotalAmt has more/],
  [
    'a total that is not the sum',
    { Amounts: { BaseAmt: 5, TotalAmt: 6 } },
    6202,
    /TotalAmt 6\.00 is not BaseAmt plus Surcharge, which is 5\.00/,
  ],
  ['a fee where none is configured', { Amounts: { BaseAmt: 5, Surcharge: 0.1 } }, 6201, /no fees configured/],
]
for (const [what, changes, code, text] of refusals) {
  test(`${what} is refused before anything is sent or recorded`, async () => {
    const shop = await openTill(world())
    const told = await charge(shop, saleWith(changes))
    assert.equal(told.code, code)
    assert.match(told.text, text)
    assert.deepEqual([told.result.TxApproved, told.result.TxID], [false, 0])
    assert.deepEqual(await shop.needs.bank.log.read({ last: 1 }), [])
  })
}

test('a card is good until its last day is over where the merchant is', async () => {
  const shop = await openTill(world())
  const body = saleWith({ ccCardInfo: cardOf(visa, 1, 27) })
  // 1 February in UTC, still 31 January in New York.
  shop.needs.clock.advance({ hours: 24 * 16 + 18 })
  assert.equal((await charge(shop, body)).code, 0)
  shop.needs.clock.advance({ hours: 2 })
  assert.equal((await charge(shop, body)).code, 6106)
})

test('yen have no decimals', async () => {
  const shop = await openTill(world())
  const currency = currencyCode('JPY')
  assert(currency)
  await makeMerchant(shop.needs, shop.account, { currency })
  const told = await charge(shop, saleWith({ Amounts: { BaseAmt: 500.5 }, MerchID: 2 }))
  assert.match(told.text, /more decimals than JPY/)
  const whole = await charge(shop, saleWith({ Amounts: { BaseAmt: 500 }, MerchID: 2 }))
  assert.equal(whole.result.ResponseApprovedAmount, 500)
})

test('a token for one merchant record charges for that record alone', async () => {
  const shop = await openTill(world())
  await makeMerchant(shop.needs, shop.account)
  const bound = { ...shop, caller: { ...shop.caller, merchantNumber: merchantNumber(2) } }
  const first = await charge(bound, saleWith({}))
  assert.deepEqual([first.code, first.text], [6001, 'There is no merchant record 1'])
  assert.equal((await charge(bound, saleWith({ MerchID: 2 }))).code, 0)
})

test('a partial approval stands where the account allows it', async () => {
  const shop = await openTill(world(), { allowsPartialApprovals: true })
  const { result } = await charge(shop, saleWith({ Amounts: { BaseAmt: 9900.1 } }))
  assert.deepEqual(
    [
      result.TxApproved,
      result.IsPartialApproval,
      result.ResponseApprovedAmount,
      result.ResponseBalanceAmount,
    ],
    [true, true, 4950.05, 4950.05],
  )
  assert.deepEqual(result.ApprovedAmounts, { BaseAmt: 4950.05, Surcharge: 0, TotalAmt: 4950.05 })
})

test('a partial approval is declined and given back where the account does not allow it', async () => {
  const shop = await openTill(world())
  const told = await charge(shop, saleWith({ Amounts: { BaseAmt: 9900.1 } }))
  assert.deepEqual([told.code, told.text], [0, 'DECLINED: only a part could be approved'])
  assert.deepEqual([told.result.TxApproved, told.result.TxnCode], [false, '10'])
  await recoverAttempts(shop.needs)
  assert.deepEqual(await standing(shop), ['495005 reversed'])
  const { db } = shop.needs
  assert.deepEqual(await paymentsOf(db, shop.caller), [`${told.result.TxID} failed 10 9900.10`])
  assert.deepEqual(await eventsOf(db, shop.caller), ['payment.declined'])
  assert.equal(await postedMinor(db, shop.caller), 0n)
})

test('a record with a surcharge takes it from credit cards, and says why', async () => {
  const shop = await openTill(world())
  const fees = { region: 'IL', feeKind: 'surcharge', feeBasisPoints: 300 } as const
  await makeMerchant(shop.needs, shop.account, fees)
  const Amounts = { BaseAmt: 100, Surcharge: 5 }
  const credit = await charge(shop, saleWith({ Amounts, MerchID: 2 }))
  assert.deepEqual(credit.result.ApprovedAmounts, { BaseAmt: 100, Surcharge: 3, TotalAmt: 103 })
  assert.match(credit.text, /^APPROVED \w{6}$/)
  assert.match(credit.result.FeeNote, /^Surcharge 3 %: within the cap Visa 3 %; 5\.00 was asked for/)
  const debit = await charge(shop, saleWith({ ccCardInfo: cardOf('4000056655665556'), Amounts, MerchID: 2 }))
  assert.deepEqual(debit.result.ApprovedAmounts, { BaseAmt: 100, Surcharge: 0, TotalAmt: 100 })
  assert.match(debit.result.FeeNote, /debit cards carry no surcharge/)
})

test('a decline has no word about fees', async () => {
  const shop = await openTill(world())
  const fees = { region: 'IL', feeKind: 'surcharge', feeBasisPoints: 300 } as const
  await makeMerchant(shop.needs, shop.account, fees)
  const declined = { ccCardInfo: cardOf('4000000000009995'), MerchID: 2 }
  for (const Amounts of [{ BaseAmt: 12 }, { BaseAmt: 12, Surcharge: 5 }]) {
    const { text, result } = await charge(shop, saleWith({ ...declined, Amounts }))
    assert.deepEqual([text, result.FeeNote], ['DECLINED: insufficient funds', ''])
  }
})
