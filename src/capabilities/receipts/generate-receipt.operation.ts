import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import { receiptOfConsent } from '#capabilities/receipts/consent-receipt.ts'
import {
  type Receipt,
  type ReceiptCopy,
  type ReceiptFacts,
  receiptOfPayment,
} from '#capabilities/receipts/receipt.ts'
import { orderReceiptType } from '#capabilities/receipts/order-receipt.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'
import {
  findConsentFacts,
  findReceipt,
  findVoidOf,
  insertReceipt,
  type ReceiptKey,
} from '#capabilities/receipts/receipt.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { merchantNumbered, worksFor } from '#engine/merchants/merchant.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Attempt, attemptId, type AttemptKind } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { assert } from '#kernel/assert.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

export type ReceiptType = 1 | 2 | 3 | 4 | 5 | 7 | 8 | 9

export type ReceiptWish = {
  readonly type: ReceiptType
  readonly subject: bigint
  readonly copies: readonly ReceiptCopy[]
  // Of its reader; the usual one where it is absent.
  readonly tongue?: Tongue
}

// Asks for the receipt of an international order, which has an operation of its own.
export type MisledWish = { readonly type: typeof orderReceiptType; readonly reference: string }

type Needs = { readonly db: Queryable } & Pick<EngineContext, 'accountClock' | 'merchantReads' | 'keyRing'>
// Whose receipts may be read.
type Reader = Pick<Caller, 'accountId' | 'merchantNumber'>
type ReceiptRefusal =
  | 'transaction_not_found'
  | 'consent_not_found'
  | 'receipt_not_of_type'
  | 'outcome_unknown'

// What each type is a receipt of; the others are agreements.
const kinds: Partial<Record<ReceiptType, AttemptKind>> = {
  1: 'sale',
  2: 'void',
  3: 'credit',
  7: 'bank_debit',
  8: 'bank_void',
  9: 'bank_credit',
}

// The receipt as it was when it was first asked for, as a page.
export async function generateReceipt(
  needs: Needs,
  caller: Reader,
  asked: ReceiptWish | MisledWish,
): Promise<Result<string, ReceiptRefusal>> {
  if (asked.type === orderReceiptType)
    return refuse('receipt_not_of_type', { ...asked, hint: '; ReceiptType 23 is for Intl/ReceiptGenerate' })
  const { copies, tongue, ...wish } = asked
  const receipt = await findReceiptFor(needs, caller, wish)
  return receipt.ok ? ok(receiptPage(receipt.value, copies, tongue)) : receipt
}

// What it says, for whoever lays it out in another way.
export async function findReceiptFor(
  needs: Needs,
  caller: Reader,
  { type, subject }: Pick<ReceiptWish, 'type' | 'subject'>,
): Promise<Result<Receipt, ReceiptRefusal>> {
  const kind = kinds[type]
  const found = kind
    ? await findPayment(needs, caller, { type, kind, subject })
    : await findAgreement(needs, caller, { type, subject })
  if (!found.ok) return found
  const key = { account: caller.accountId, type, subject: found.value.subject }
  return ok(await keepReceipt(needs, key, () => describe(needs, caller, found.value)))
}

type Found = {
  readonly subject: bigint
  readonly merchant: MerchantNumber
  readonly describe: (facts: ReceiptFacts) => Receipt
}

type PaymentSought = {
  readonly type: ReceiptType
  readonly kind: AttemptKind
  readonly subject: bigint
}

// A void is found by its own transaction and by the one that it undid.
async function findPayment(
  needs: Needs,
  caller: Reader,
  { type, kind, subject }: PaymentSought,
): Promise<Result<Found, ReceiptRefusal>> {
  const named = await findOwn(needs, caller, subject)
  if (!named) return refuse('transaction_not_found', { transaction: subject })
  const isVoid = kind === 'void' || kind === 'bank_void'
  const undone = isVoid && receiptKindOf(named) !== kind
  const voidId = undone ? await findVoidOf(needs.db, { account: caller.accountId, payment: subject }) : null
  const attempt = voidId === null ? named : await findOwn(needs, caller, voidId)
  if (!attempt || receiptKindOf(attempt) !== kind)
    return refuse('receipt_not_of_type', { type, reference: subject })
  const outcome = outcomeOf(attempt)
  if (!outcome.ok) {
    return outcome.refusal.kind === 'outcome_unknown'
      ? refuse('outcome_unknown')
      : refuse('receipt_not_of_type', { type, reference: subject })
  }
  const { value } = outcome
  return ok({
    subject: value.attemptId,
    merchant: value.merchantNumber,
    describe: (facts) => receiptOfPayment(value, facts),
  })
}

// Whatever undoes a bank credit that never left is a void.
function receiptKindOf({ kind, details }: Attempt): AttemptKind {
  return details.neverSent ? 'bank_void' : kind
}

async function findOwn(needs: Needs, caller: Reader, id: bigint): Promise<Attempt | null> {
  const attempt = await findAttemptOf(needs, { account: caller.accountId, attempt: attemptId(id) })
  return attempt && worksFor(caller, attempt) ? attempt : null
}

async function findAgreement(
  { db, accountClock }: Needs,
  caller: Reader,
  { type, subject }: { readonly type: ReceiptType; readonly subject: bigint },
): Promise<Result<Found, ReceiptRefusal>> {
  const found = await findConsentFacts(db, { account: caller.accountId, consent: subject })
  if (!found || !worksFor(caller, { merchantNumber: found.merchant }))
    return refuse('consent_not_found', { consent: subject })
  const { consent, merchant } = found
  if (consent.isRecurring !== (type === 5)) return refuse('receipt_not_of_type', { type, reference: subject })
  const at = accountClock.now(caller.accountId)
  return ok({ subject, merchant, describe: (facts) => receiptOfConsent(consent, { ...facts, at }) })
}

async function describe(needs: Needs, { accountId }: Reader, found: Found): Promise<Receipt> {
  const records = await listMerchants(needs, accountId)
  const merchant = merchantNumbered(records, found.merchant)
  assert(merchant, 'what a receipt is about belongs to a merchant record')
  return found.describe({ merchant, isSandbox: needs.keyRing.mode === 'sandbox' })
}

// The first one's words count for whoever comes after.
export async function keepReceipt(
  { db, accountClock }: Pick<Needs, 'db' | 'accountClock'>,
  key: ReceiptKey,
  make: () => Promise<Receipt>,
): Promise<Receipt> {
  const kept = await findReceipt(db, key)
  if (kept) return kept
  await insertReceipt(db, key, { receipt: await make(), at: accountClock.now(key.account) })
  const first = await findReceipt(db, key)
  assert(first, 'a receipt that was kept is found again')
  return first
}
