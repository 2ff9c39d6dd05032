import assert from 'node:assert/strict'
import { operations } from '#capabilities/operations.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { until } from '../support/gateway-process.ts'
import type { HttpAnswer, TestGateway } from '../support/in-process-gateway.ts'
import { type Answered, readEnvelope } from './envelope.ts'

// A caller who is signed in to a gateway, and a way to its database past it.
export type Shop = {
  readonly gateway: TestGateway
  readonly sessionKey: string
  readonly sql: (text: string) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

// Makes one code be answered, whatever was done before.
export type Provoke = (shop: Shop) => Promise<Answered>
export type Provoking = Partial<Record<ErrorName, Provoke>>

export const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 }
export const sale = { ccCardInfo: card, Amounts: { BaseAmt: 10 }, MerchID: 1 }

export function bodyAsRead(answer: HttpAnswer): Answered {
  const [key = ''] = Object.keys(JSON.parse(answer.text))
  return readEnvelope(answer.text, key)
}

export async function call(
  { gateway, sessionKey }: Shop,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const contract = operations.find((one) => one.contract.path === path)?.contract
  const where = contract ? contract.prefix + path : path
  return bodyAsRead(await gateway.post(where, body, { SessKey: sessionKey, ...headers }))
}

async function made(shop: Shop, path: string, body: object, member: string): Promise<number> {
  const answer = await call(shop, path, body)
  assert.equal(answer.ErrCode, 0, answer.ErrMsg)
  return Number(answer[member])
}

export function newSale(shop: Shop, wish: object = {}): Promise<number> {
  return made(shop, 'CardSale/Manual', { ...sale, ...wish }, 'TxID')
}

export function newDebit(shop: Shop): Promise<number> {
  return made(shop, 'ACH/Sale', debitOf(1), 'TxID')
}

export function debitOf(MerchID: number): object {
  const account = { AccountNumber: '000123456789', RoutingNumber: '110000000', AccountType: 1 }
  return { ChargeDetails: { ...account, Amount: 10 }, AcctHolder: { Lastname: 'Miller' }, MerchID }
}

export function newConsent(shop: Shop, wish: object = {}): Promise<number> {
  const body = { ccCardInfo: card, ConsentCreator: { MerchID: 1, ...wish } }
  return made(shop, 'ConsentAnnual/Create_MAN', body, 'ConsentID')
}

export async function newSchedule(shop: Shop): Promise<number> {
  const creator = { MerchID: 1, NumPayments: 3, TotalAmount: 30, Period: 'MONTHLY' }
  const answer = await call(shop, 'ConsentRecurring/Create', { ccCardInfo: card, ConsentCreator: creator })
  return Number(Object(answer['MySched'])[0].SchedID)
}

export function chargeConsent(shop: Shop, ConsentID: number, wish: object = {}): Promise<Answered> {
  return call(shop, 'ConsentAnnual/ChargeStoredCard', { ConsentID, Amounts: { BaseAmt: 10 }, ...wish })
}

export function linkTo(Person: object, MessageType: string): object {
  return { Msg: { Person, MessageType, Amount: 10, MerchID: 1, SingleUse: 1 } }
}

export async function newLink(shop: Shop): Promise<number> {
  const { PaymentUrl } = await call(shop, 'Other/SMSPay', linkTo({}, 'URLONLY'))
  const { Links } = await call(shop, 'Link/Query', { PaymentUrl })
  return Object(Links)[0].LinkID
}

export const newPhone = (): string => `+1212555${randomDigits(4)}`

export async function untilAnswered(name: ErrorName, ask: () => Promise<Answered>): Promise<Answered> {
  let last = await ask()
  const isThere = (): boolean => last.ErrCode === errorCodes[name].code
  const asked = async (): Promise<boolean> => {
    if (!isThere()) last = await ask()
    return isThere()
  }
  try {
    await until(asked, { what: `${name} is answered`, withinMs: 15_000 })
  } catch {
    throw new Error(`${name} was not answered; the last answer was ${last.ErrMsg}`)
  }
  return last
}

// What is changed past the gateway reaches it by and by, so the call is made until its answer is the one.
export async function whileSql(
  { sql }: Shop,
  { set, reset }: { readonly set: string; readonly reset: string },
  { name, ask }: { readonly name: ErrorName; readonly ask: () => Promise<Answered> },
): Promise<Answered> {
  await sql(set)
  try {
    return await untilAnswered(name, ask)
  } finally {
    await sql(reset)
  }
}

// No attempt can be recorded, for a reason that PostgreSQL names by this code.
export async function whileFailing(
  { sql }: Shop,
  state: string,
  ask: () => Promise<Answered>,
): Promise<Answered> {
  await sql(`create function fail_now() returns trigger language plpgsql as $$
    begin raise exception 'provoked' using errcode = '${state}'; end $$`)
  await sql('create trigger fail_now before insert on attempt for each row execute function fail_now()')
  try {
    return await ask()
  } finally {
    await sql('drop function fail_now cascade')
  }
}
