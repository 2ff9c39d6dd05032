import assert from 'node:assert/strict'
import type { PayAnswer } from '#capabilities/form-payments/pay-form.operation.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { codeInAddress } from '#capabilities/links/link-code.ts'
import { payLink } from '#capabilities/links/pay-link.operation.ts'
import { type LinkView, showFormOf, showLink } from '#capabilities/links/show-link.operation.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { Secret } from '#kernel/secret.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { goodCard } from './form-world.ts'
import { call, type Till, type Told } from './till.ts'

export const sendPath = 'Other/SMSPay'

// A link for one payment of 125 dollars that nobody is sent, unless something else is said.
export function linkOrder(changes: object = {}): object {
  const usual = { MessageType: 'URLONLY', Amount: 125, MerchID: 1, SingleUse: 1, RefID: 'invoice-1042' }
  return { Msg: { ...usual, ...changes } }
}

export function order(till: Till, changes: object = {}): Promise<Told> {
  return call(till, sendPath, linkOrder(changes))
}

export type Payer = {
  readonly till: Till
  readonly code: Secret
  readonly browser: Secret
  readonly url: string
}

export async function makeLink(till: Till, changes: object = {}): Promise<Payer> {
  const told = await order(till, changes)
  assert.equal(told.code, 0, told.text)
  const url = String(told.members['PaymentUrl'])
  const code = codeInAddress(url)
  assert(code)
  return { till, code, url, browser: new Secret('browser-1') }
}

const visit = ({ code, browser }: Payer, number = '') => ({ code, browser, proof: '', number })

export async function lookAt(payer: Payer): Promise<LinkView> {
  const view = await showLink(payer.till.needs, visit(payer))
  assert(view)
  return view
}

export async function formOf(payer: Payer, number = ''): Promise<FormView> {
  return showFormOf(payer.till.needs, await lookAt(payer), visit(payer, number))
}

type Typed = Readonly<Record<string, string>>

export type Press = {
  readonly typed?: Typed
  // Loaded before; null for the page as it is now.
  readonly page?: FormView | null
  readonly number?: string
}

// Presses the button of the page behind the link.
export async function pressPay(
  payer: Payer,
  { typed = {}, page, number = '' }: Press = {},
): Promise<PayAnswer> {
  const { needs } = payer.till
  const { pageKey, form } = page ?? (await formOf(payer, number))
  const total = String(form.amount?.minor ?? 0n)
  const sent = new Map(Object.entries({ ...goodCard, k: pageKey, total, ...typed }))
  const tongue = tongueFor('en-US', '')
  const payment = { browser: payer.browser, address: '203.0.113.7', tongue, sent }
  return payLink(needs, await lookAt(payer), { visit: visit(payer, number), payment })
}

export async function findLink(till: Till, PaymentUrl: string): Promise<Readonly<Record<string, unknown>>> {
  const told = await call(till, 'Link/Query', { PaymentUrl })
  const [link] = [told.members['Links']].flat()
  assert(link)
  return Object(link)
}

const storedStatement = statement(
  'test_messages_as_stored',
  [int8],
  { stored: text },
  `select row_to_json(m)::text as stored from message m where account_id = $1 order by message_id`,
)

export async function storedMessagesOf({ needs, account }: Till): Promise<readonly string[]> {
  return (await needs.db.run(storedStatement, [account.accountId])).map((row) => row.stored)
}

// What the bank has charged and not taken back, in cents.
export async function chargesAt({ needs: { bank } }: Till): Promise<readonly bigint[]> {
  const found: bigint[] = []
  const [from, to] = ['2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'].map((one) => Temporal.Instant.from(one))
  assert(from && to)
  for await (const { reply, reversedAt } of bank.log.report(from, to)) {
    const minor = reply.outcome === 'approved' && !reversedAt ? reply.approvedMinor : 0n
    if (minor > 0n) found.push(minor)
  }
  return found
}
