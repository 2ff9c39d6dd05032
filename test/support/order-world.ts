import assert from 'node:assert/strict'
import { finishOrder } from '#capabilities/international/finish-order.operation.ts'
import {
  type ChallengedOrder,
  noChecks,
  type OrderOwner,
  type PaidOrder,
  type PayerOrder,
} from '#capabilities/international/payer-order.ts'
import { startOrder } from '#capabilities/international/start-order.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { Secret } from '#kernel/secret.ts'
import { makeCaller } from './consent-world.ts'
import { makeAccount, makeMerchant, type World } from './session-world.ts'
import { call, type Till } from './till.ts'

// Published test cards: what the payer's bank does when it is asked who pays.
export const cards = {
  recognized: '4000000000003055',
  challenged: '4000000000003220',
  challengedThenDeclined: '4000008400001629',
  challengedThenError: '4000008400001280',
  rejected: '4000000000001018',
  bankIsDown: '4000000000001034',
  ordinary: '4111111111111111',
  declining: '4000000000000002',
} as const

export const international = 2

// An account with a domestic record 1 and an international record 2.
export async function openShop(needs: World, currency = 'EUR'): Promise<Till> {
  const account = await makeAccount(needs)
  await addShop({ needs, account }, currency)
  return { needs, account, caller: await makeCaller(needs, account) }
}

export async function addShop({ needs, account }: { needs: World; account: Account }, code: string) {
  const currency = currencyCode(code)
  assert(currency)
  await makeMerchant(needs, account, { name: 'Corner Books Europe', currency, isInternational: true })
}

export type Wish = {
  readonly card?: string
  readonly amount?: string
  readonly saves?: boolean
  readonly record?: number
  readonly payer?: Partial<PayerOrder['payer']>
  readonly clientRef?: string
  readonly guid?: string
}

export const ann = {
  firstName: 'Ann',
  lastName: 'Example',
  customerFirstName: 'Bea',
  customerLastName: 'Buyer',
  email: 'ann@example.com',
  phone: '2175550100',
  street: '1 Elm Street',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
}

export function ownerOf({ caller }: Till): OrderOwner {
  return { accountId: caller.accountId, userId: caller.userId, callerKey: caller.callerKey }
}

export function payerOrder(wish: Wish = {}): PayerOrder {
  const number = CardNumber.parse(wish.card ?? cards.recognized)
  const amount = parseDecimal(wish.amount ?? '25.50')
  assert(number && amount)
  return {
    merchantNumber: merchantNumber(wish.record ?? international),
    amount: { amount, member: 'Amount' },
    card: { number, expiry: { month: 12, year: 2030 }, securityCode: new Secret('123') },
    payer: { ...ann, ...wish.payer },
    service: 'Books',
    clientRef: wish.clientRef ?? 'order-1001',
    guid: wish.guid ?? 'basket-7',
    saving: wish.saves ? { agreement: 'You may charge my card again.', agreedFrom: '192.0.2.7' } : null,
    returnTo: '/PayForm/back',
    checks: noChecks,
  }
}

// An order without a challenge, to its end.
export async function buy(shop: Till, wish: Wish = {}): Promise<PaidOrder> {
  const started = await startOrder(shop.needs, ownerOf(shop), payerOrder(wish))
  assert(started.ok, 'the order is taken')
  assert(started.value.kind === 'paid', 'this card is not challenged')
  return started.value
}

export async function challenge(shop: Till, wish: Wish = {}): Promise<ChallengedOrder> {
  const started = await startOrder(shop.needs, ownerOf(shop), payerOrder({ card: cards.challenged, ...wish }))
  assert(started.ok, 'the order is taken')
  assert(started.value.kind === 'challenged', 'this card is challenged')
  return started.value
}

export function comeBack(shop: Till, { transactionId, sealedCard }: ChallengedOrder) {
  return finishOrder(shop.needs, ownerOf(shop), { transactionId, sealedCard, checks: noChecks })
}

export function challengeIdOf({ address }: ChallengedOrder): string {
  return address.split('/').at(-1) ?? ''
}

// The payer types the code that the bank has sent.
export async function confirmAtBank({ needs }: Till, order: ChallengedOrder): Promise<void> {
  const id = challengeIdOf(order)
  const { code } = (await needs.payerBank.find(id)) ?? { code: '' }
  assert.equal((await needs.payerBank.answer(id, { kind: 'code', digits: code }))?.state, 'passed')
}

export type ToldRecord = Readonly<Record<string, string | number | null>>

export async function findRecords(shop: Till, Query: string): Promise<readonly ToldRecord[]> {
  const { code, text, members } = await call(shop, 'Intl/QueryTransaction', { Query })
  assert.equal(code, 0, text)
  const found = members['Transactions']
  assert(Array.isArray(found))
  return found.map((one): ToldRecord => Object(one))
}

// SALE SUCCESS/SETTLED 25.5, for each step of an order.
export async function stepsOf(shop: Till, transactionId: string): Promise<readonly string[]> {
  const records = await findRecords(shop, `(F='${transactionId}')`)
  return records.map(({ Action, Result, Status, Amount }) => `${Action} ${Result}/${Status} ${Amount}`)
}

export const proc = (shop: Till, TokenID: string, ChargeAmt: number | string) =>
  call(shop, 'Intl/ProcPayment', { TokenID, ChargeAmt })

export const undoOrder = (shop: Till, TransID: string, CreditAmt: number | string) =>
  call(shop, 'Intl/VoidCredit', { TransID, CreditAmt })
