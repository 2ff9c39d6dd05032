import { chargeStoredCard, repeatStoredCharge } from '#capabilities/consents/charge-stored-card.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import type { ConsentNeeds } from '#capabilities/consents/find-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AskedAmount } from '#engine/fees/asked-money.ts'
import { internationalRecordsOf } from '#engine/merchants/international-records.operation.ts'
import { findOrderOfAttempt, findOrderOfToken } from '#engine/orders/find-order.operation.ts'
import type { Order, OrderState } from '#engine/orders/order.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { unlessAway } from '#platform/postgres/failures.ts'

export type TokenCharge = { readonly token: string; readonly amount: AskedAmount }

export type ChargedOrder = {
  readonly token: string
  readonly transactionId: string
  readonly charge: Attempt
}

type Needs = EngineContext & ConsentNeeds
type Charged = Awaited<ReturnType<typeof chargeStoredCard>>
type ChargeRefusal =
  | Exclude<Extract<Charged, { ok: false }>['refusal']['kind'], 'look_alike'>
  | 'no_international_record'
  | 'token_not_found'
type OrderResult = Result<ChargedOrder, ChargeRefusal, Pick<ChargedOrder, 'transactionId'>>

// Charges the card that a payer agreed to keep with an international order. It is a charge under a consent
// like any other: its limits, its end and its cancellation count here too.
export async function chargeConsentToken(
  needs: Needs,
  caller: Caller,
  { token, amount }: TokenCharge,
): Promise<OrderResult> {
  const records = await internationalRecordsOf(needs, caller)
  if (!records.ok) return records
  const origin = await findOrderOfToken(needs, { account: caller.accountId, token })
  if (!origin || origin.consentId === null || !hasBegun(origin)) return refuse('token_not_found', { token })

  const charged = await chargeStoredCard(needs, caller, {
    consentId: consentId(origin.consentId),
    alternate: null,
    amounts: { base: amount, fee: null, total: null },
    service: origin.service,
    clientRef: origin.clientRef,
    guid: origin.guid,
    user: '',
    askedBy: 'token',
  })
  if (!charged.ok && charged.refusal.kind === 'consent_not_found') return refuse('token_not_found', { token })
  // As it is stored, however it was written, so that a repetition says the same.
  return withOrder(needs, charged, origin.consentToken)
}

const paidStates: ReadonlySet<OrderState> = new Set(['settled', 'void', 'charged_back'])

// A consent that never began, because its order was not paid, is known by nobody.
function hasBegun({ state }: Order): boolean {
  return paidStates.has(state)
}

type RepeatNeeds = Pick<Needs, 'db' | 'log'>

// The same answer once more, from what is stored.
export async function repeatTokenCharge(needs: RepeatNeeds, attempt: Attempt): Promise<OrderResult> {
  const order = await findOrderOfAttempt(needs, attempt)
  return withOrder(needs, await repeatStoredCharge(needs, attempt), order?.consentToken ?? '')
}

async function withOrder(needs: RepeatNeeds, charged: Charged, token: string): Promise<OrderResult> {
  const attempt = charged.ok ? charged.value : charged.refusal.known
  const order = attempt ? await unlessAway(needs, () => findOrderOfAttempt(needs, attempt)) : null
  const transactionId = order?.transactionId ?? ''
  // Nobody may be told that nothing was done.
  if (charged.ok && !order) return refuse('outcome_unknown', {}, { transactionId })
  if (charged.ok) return ok({ token, transactionId, charge: charged.value })
  const { kind, details } = charged.refusal
  assert(kind !== 'look_alike', 'a request that carries no reference looks like no other')
  return refuse(kind, details, attempt && { transactionId })
}
