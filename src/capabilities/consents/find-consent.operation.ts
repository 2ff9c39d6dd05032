import {
  type Consent,
  type ConsentId,
  type ConsentKey,
  isMade,
  isRecurring,
} from '#capabilities/consents/consent.ts'
import {
  type ChargeableConsent,
  findChargeableConsents,
} from '#capabilities/consents/chargeable-consent.store.ts'
import { listConsents, lockConsent } from '#capabilities/consents/consent.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor, merchantNumbered, worksFor } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import { shareStatement } from '#platform/postgres/batcher.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

export type ConsentReads = { add(key: ConsentKey): Promise<ChargeableConsent | null> }
export type ConsentNeeds = Pick<EngineContext, 'merchantReads'> & { readonly consentReads: ConsentReads }

type ReaderNeeds = Pick<EngineContext, 'db'> & { readonly crowd?: BatchCrowd | undefined }

// Callers that ask at the same time share one statement. Nearly all of them come for a charge, so they are of
// the same crowd.
export function consentReader({ db, crowd }: ReaderNeeds): ConsentReads {
  return shareStatement((keys) => findChargeableConsents(db, keys), crowd)
}

export type ConsentWithMerchants = ChargeableConsent & {
  // The merchant record of the consent.
  readonly home: Merchant
  readonly merchants: readonly Merchant[]
}

type Found = Promise<Result<ConsentWithMerchants, 'consent_not_found'>>

// The caller's own consent with the merchant records of the account. A caller for one merchant record sees
// the consents of that record only. The consent of a plan is charged by its instalments, so it is not among
// these.
export function findConsentOf(needs: ConsentNeeds, caller: Caller, consentId: ConsentId): Found {
  return find(needs, caller, { consentId, ofPlan: false })
}

export function findRecurringConsentOf(needs: ConsentNeeds, caller: Caller, consentId: ConsentId): Found {
  return find(needs, caller, { consentId, ofPlan: true })
}

async function find(
  needs: ConsentNeeds,
  caller: Caller,
  { consentId, ofPlan }: { readonly consentId: ConsentId; readonly ofPlan: boolean },
): Found {
  // Merchant records are nearly always remembered, so to read both at once would gain nothing.
  const found = await needs.consentReads.add({ accountId: caller.accountId, consentId })
  const merchants = await listMerchants(needs, caller.accountId)
  if (!found || !isOpenTo(caller, found.consent)) return refuse('consent_not_found', { consent: consentId })
  if (isRecurring(found.consent) !== ofPlan) return ofOtherKind(found.consent)
  const home = merchantNumbered(merchants, found.consent.merchantNumber)
  assert(home, 'a consent belongs to a merchant record of its account')
  return ok({ ...found, home, merchants })
}

// The caller's own consent all the same, so its kind is no secret.
export function ofOtherKind(consent: Pick<Consent, 'consentId' | 'kind'>) {
  const why = isRecurring(consent) ? 'it belongs to a payment plan' : 'it has no payment plan'
  return refuse('consent_not_found', { consent: consent.consentId, hint: ` of this kind: ${why}` })
}

// Many at once, by their ids, for whoever has found out already that they are the account's.
export async function findConsents(
  { db }: { readonly db: Queryable },
  account: AccountId,
  consents: readonly ConsentId[],
): Promise<ReadonlyMap<ConsentId, Consent>> {
  const found = await listConsents(db, account, [...new Set(consents)])
  return new Map(found.map((consent) => [consent.consentId, consent]))
}

// The same for a change: charges under the consent wait until the transaction is over.
export async function lockActiveConsent(
  tx: Tx,
  caller: Caller,
  consentId: ConsentId,
): Promise<Result<Consent, 'consent_not_found' | 'consent_cancelled'>> {
  const consent = await lockConsent(tx, { accountId: caller.accountId, consentId })
  if (!consent || !isOpenTo(caller, consent)) return refuse('consent_not_found', { consent: consentId })
  return consent.state === 'cancelled' ? refuse('consent_cancelled', { consent: consentId }) : ok(consent)
}

function isOpenTo(caller: Caller, consent: Pick<Consent, 'merchantNumber' | 'state'>): boolean {
  return worksFor(caller, consent) && isMade(consent)
}

// The merchant record that collects the funds: the consent's own, or another one of the account where the
// account allows it. null asks for the consent's own.
export function collectorOf(
  caller: Caller,
  { consent, home, merchants }: ConsentWithMerchants,
  alternate: MerchantNumber | null,
): Result<Merchant, 'merchant_not_found' | 'alternate_not_allowed' | 'currency_differs'> {
  if (alternate === null || alternate === home.merchantNumber) return ok(home)
  const found = merchantFor(caller, merchants, alternate)
  if (!found) return refuse('merchant_not_found', { merchant: alternate })
  if (!caller.allowsAlternateMerchants) return refuse('alternate_not_allowed')
  return found.currency === consent.currency ? ok(found) : refuse('currency_differs')
}
