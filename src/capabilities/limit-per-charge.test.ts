import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeConsent, paymentsOf } from '../../test/support/consent-world.ts'
import { formOrder } from '../../test/support/form-world.ts'
import { linkOrder } from '../../test/support/link-world.ts'
import { buy, openShop, proc } from '../../test/support/order-world.ts'
import { makePlan } from '../../test/support/plan-world.ts'
import { useWorld } from '../../test/support/session-world.ts'
import { call, type Till, type Told } from '../../test/support/till.ts'

const world = useWorld()
const outOfRange = 4003

// The records of the till take at most 100 in one charge.
async function limitedTill(): Promise<Till> {
  const till = await openShop(world())
  const { needs, account } = till
  for (const number of [1, 2]) {
    const changes = { limitPerChargeMinor: 10_000n, ...(number === 1 ? { takesAch: true } : {}) }
    const which = { account: account.accountId, merchant: merchantNumber(number), changes }
    assert((await changeMerchant(needs, which)).ok)
  }
  return till
}

const ccCardInfo = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2040 }

type Charge = (till: Till) => Promise<(amount: number) => Promise<Told>>

// Each operation that charges an amount, or agrees with a payer on one that is charged later.
const charges: Readonly<Record<string, Charge>> = {
  'CardSale/Manual': async (till) => (BaseAmt) =>
    call(till, 'CardSale/Manual', { ccCardInfo, Amounts: { BaseAmt }, MerchID: 1 }),
  'ACH/Sale': async (till) => (Amount) =>
    call(till, 'ACH/Sale', {
      ChargeDetails: { AccountNumber: '000123456789', RoutingNumber: '110000000', Amount, AccountType: 1 },
      AcctHolder: { Firstname: 'Ada', Lastname: 'Miller' },
      MerchID: 1,
    }),
  // The consent itself allows more.
  'ConsentAnnual/ChargeStoredCard': async (till) => {
    const creator = { LimitPerCharge: 5_000, LimitLifeTime: 50_000 }
    const ConsentID = Number(await makeConsent(till.needs, till.caller, { creator }))
    return (BaseAmt) => call(till, 'ConsentAnnual/ChargeStoredCard', { ConsentID, Amounts: { BaseAmt } })
  },
  'Intl/ProcPayment': async (till) => {
    await limitTo(till, 1_000_000n)
    const { consentToken } = await buy(till, { saves: true, amount: '10' })
    await limitTo(till, 10_000n)
    return (amount) => proc(till, consentToken, amount)
  },
  'ConsentRecurring/Create': async (till) => (TotalAmount) => {
    const ConsentCreator = { MerchID: 1, NumPayments: 1, TotalAmount, Period: 'MONTHLY' }
    return call(till, 'ConsentRecurring/Create', { ccCardInfo, ConsentCreator })
  },
  'ConsentRecurring/Modify': async (till) => {
    const { consent: ConsentID } = await makePlan(till.needs, till.caller)
    return (PaymentAmt) => call(till, 'ConsentRecurring/Modify', { ConsentID, ConsentMods: { PaymentAmt } })
  },
  'RecurringSchedule/Modify': async (till) => {
    const { schedule } = await makePlan(till.needs, till.caller)
    const SchedID = schedule[0]?.SchedID
    return (PaymentAmount) => call(till, 'RecurringSchedule/Modify', { SchedID, PaymentAmount })
  },
  'CardSale/InitForm': async (till) => (BaseAmt) =>
    call(till, 'CardSale/InitForm', formOrder({ Amounts: { BaseAmt } })),
  'Other/SMSPay': async (till) => (Amount) => call(till, 'Other/SMSPay', linkOrder({ Amount })),
}

async function limitTo({ needs, account }: Till, limitPerChargeMinor: bigint): Promise<void> {
  const which = { account: account.accountId, merchant: merchantNumber(2) }
  assert((await changeMerchant(needs, { ...which, changes: { limitPerChargeMinor } })).ok)
}

for (const [path, charge] of Object.entries(charges)) {
  test(`${path} with a zero too many is refused before anything is recorded`, async () => {
    const till = await limitedTill()
    const ask = await charge(till)
    const before = await paymentsOf(till.needs.db, till.caller)
    const { code, text } = await ask(1_000)
    assert.deepEqual([code, await paymentsOf(till.needs.db, till.caller)], [outOfRange, before])
    assert.match(text, /makes a payment of more than .*100\.00.*, the most that the merchant record takes at/)
    assert.notEqual((await ask(100.01)).code, 0)
    assert.equal((await ask(100)).code, 0)
  })
}

// They charge nothing by an amount of their own.
const others = [
  'CardSale/Void',
  'CardSale/ApplyCredit',
  'ACH/Void',
  'ACH/ApplyCredit',
  'Intl/VoidCredit',
  'ConsentAnnual/CalcFees',
  'ConsentAnnual/Create_MAN',
  'ConsentAnnual/Modify',
  'RecurringSchedule/ProcessScheduledPayments',
  'RecurringSchedule/ProcessScheduledPaymentsSelective',
  'Settlement/ExecuteBatch_All',
  'Settlement/ExecuteBatch_Selective',
]

test('no operation that charges is forgotten here', () => {
  const withMoney = operations
    .filter(({ contract }) => contract.currencyOf)
    .map(({ contract }) => contract.path)
  assert.deepEqual(withMoney.toSorted(), [...Object.keys(charges), ...others].toSorted())
})

test('a charge over the limit of its consent is refused by the consent, and has a transaction', async () => {
  const till = await limitedTill()
  const creator = { LimitPerCharge: 50, LimitLifeTime: 500 }
  const ConsentID = Number(await makeConsent(till.needs, till.caller, { creator }))
  const body = { ConsentID, Amounts: { BaseAmt: 1_000 } }
  const { code, members } = await call(till, 'ConsentAnnual/ChargeStoredCard', body)
  assert.equal(code, 6104)
  assert(Number(members['TxID']) > 0)
})
