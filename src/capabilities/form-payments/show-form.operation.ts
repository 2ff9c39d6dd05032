import {
  type DeclineFamily,
  declineFamilyOf,
  interruptionOf,
} from '#capabilities/form-payments/decline-family.ts'
import { findKeptCard } from '#capabilities/forms/find-kept-card.operation.ts'
import { findForm } from '#capabilities/forms/find-form.operation.ts'
import { type Form, type FormStanding, standingOf } from '#capabilities/forms/form.ts'
import type { KeptCard } from '#capabilities/payer-words/kept-card.ts'
import { type BankDebitStanding, findBankDebit } from '#capabilities/bank-debits/find-bank-debit.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'>

// What is true of a form at this moment, for whoever looks.
export type FormView = {
  readonly form: Form
  readonly merchant: Merchant
  readonly standing: FormStanding
  readonly now: Temporal.Instant
  // The newest attempt.
  readonly attempt: Attempt | null
  // What became at the bank of the debit that paid it; null for cards.
  readonly bankDebit: BankDebitStanding | null
  // What the payer let the merchant keep; null for no card, and for one that is kept no more.
  readonly keptCard: KeptCard | null
  // The newest order, in an international record.
  readonly order: Order | null
  // It was this browser that paid or tried to: nobody else sees a receipt, or that a card was declined.
  readonly isPayingBrowser: boolean
  readonly decline: DeclineFamily | null
  // Carried by the page and checked when it comes back.
  readonly pageKey: string
}

export type FormVisit = { readonly token: Secret; readonly browser: Secret | null }

// null: there is no such form.
export async function showForm(needs: Needs, { token, browser }: FormVisit): Promise<FormView | null> {
  const form = await findForm(needs, token)
  if (!form) return null
  const { accountId: account, merchantNumber, attemptRef, orderRef } = form
  const [merchants, attempt, order, keptCard] = await Promise.all([
    listMerchants(needs, account),
    attemptRef ? findAttemptByReference(needs, { account, ref: attemptRef }) : null,
    orderRef ? findOrder(needs, { account, transactionId: orderRef }) : null,
    findKeptCard(needs, form),
  ])
  const isDebit = attempt?.kind === 'bank_debit'
  const bankDebit = isDebit ? await findBankDebit(needs, { account, id: attempt.attemptId }) : null
  const merchant = merchantNumbered(merchants, merchantNumber)
  assert(merchant, 'a form belongs to a merchant record')
  const now = needs.accountClock.now(account)
  const isPayingBrowser =
    browser !== null && (form.browserDigest?.equals(browserDigest(needs, browser)) ?? false)
  return {
    form,
    merchant,
    standing: standingOf(form, now),
    now,
    attempt,
    bankDebit,
    keptCard,
    order,
    isPayingBrowser,
    decline: isPayingBrowser ? declineOf(form, attempt, order) : null,
    pageKey: pageKeyOf(needs, form),
  }
}

function declineOf({ orderRef }: Form, attempt: Attempt | null, order: Order | null): DeclineFamily | null {
  if (attempt) return declineFamilyOf(attempt)
  if (orderRef === null) return null
  return order ? interruptionOf(order) : 'interrupted'
}

export function browserDigest({ keyRing }: Pick<Needs, 'keyRing'>, browser: Secret): Buffer {
  return keyRing.keyedDigest('form-page', `browser\n${browser.reveal()}`)
}

// Only a page that we made for this form and this try has it.
export function pageKeyOf({ keyRing }: Pick<Needs, 'keyRing'>, { formId, tries }: Form): string {
  return keyRing.keyedDigest('form-page', `page\n${formId}\n${tries}`).toString('hex').slice(0, 32)
}
