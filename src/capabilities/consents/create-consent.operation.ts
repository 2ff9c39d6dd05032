import {
  type ConsentId,
  type ConsentKind,
  type ConsentTerms,
  isMade,
  type NewConsent,
} from '#capabilities/consents/consent.ts'
import { consentEvent } from '#capabilities/consents/consent-event.ts'
import { findUnverifiedConsent } from '#capabilities/consents/consent.store.ts'
import { findConsents } from '#capabilities/consents/find-consent.operation.ts'
import { newConsentFollower, newConsentOf } from '#capabilities/consents/new-consent.follower.ts'
import { askWithGivenCard } from '#engine/payments/ask-with-given-card.operation.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import {
  type CardWithDetails,
  type ConsentDraft,
  finishNowOrLater,
  storeConsent,
  storePending,
} from '#capabilities/consents/store-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { claimCallerKeys, findEarlier } from '#engine/idempotency/claim-keys.operation.ts'
import { guardCard, triedCard } from '#engine/card-tries/guard-card.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import {
  type Attempt,
  type Following,
  lostAnswerPolicyOf,
  type NewAttempt,
} from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'
import { printExpiry } from '#kernel/card-expiry.ts'
import { type Ok, ok, refuse, type Refusal, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = EngineContext

export type GivenCardWithDetails = CardWithDetails & { readonly card: GivenCard }

// Without a consent when the issuer has declined the card; without a verification when the account wants
// none.
export type CreatedConsent = { readonly consentId: ConsentId | null; readonly verification: Attempt | null }

type CreationRefusal =
  | OutcomeRefusal
  | 'merchant_not_found'
  | 'card_expired'
  | 'value_out_of_range'
  | 'consent_not_found'
  | 'card_testing'
export type Created = Result<CreatedConsent, CreationRefusal, Attempt>

// What another slice stores together with a consent. Answers what moves with the verification of its card.
export type StoreAlongside = (
  tx: Tx,
  stored: {
    readonly consentId: ConsentId
    readonly state: NewConsent['state']
    readonly at: Temporal.Instant
  },
) => Promise<readonly Following[]>

type ConsentToCreate = {
  readonly given: GivenCardWithDetails
  readonly merchant: Merchant
  readonly terms: ConsentTerms
  readonly kind: ConsentKind
  readonly alongside: StoreAlongside
}

// Stores a card under a consent of any kind, once its terms are judged. Where the account wants it, the
// issuer is asked first whether the card is good, by an authorization of 0.
export async function createConsent(
  needs: Needs,
  caller: Caller,
  { given, merchant, terms, kind, alongside }: ConsentToCreate,
): Promise<Created> {
  const tried = triedCard(caller, merchant, { number: given.card.number, isZero: caller.verifiesCards })
  const create = () => createUnguarded(needs, caller, { given, merchant, terms, kind, alongside })
  return guardCard(needs, tried, create, ({ verification }) => verification)
}

async function createUnguarded(
  needs: Needs,
  caller: Caller,
  { given, merchant, terms, kind, alongside }: ConsentToCreate,
): Promise<Created> {
  const attempt = verificationOf(needs, caller, { given, merchant })
  const draft = draftOf(caller, { attempt, terms, kind, details: given.details })
  const creation = { given, merchant, attempt, draft, alongside }
  return caller.verifiesCards ? createVerified(needs, creation) : createUnverified(needs, creation)
}

// The same answer once more, from what is stored. It names a consent only if there is one.
export async function repeatCreation(needs: Pick<Needs, 'db'>, attempt: Attempt): Promise<Created> {
  const outcome = outcomeOf(attempt)
  if (!outcome.ok) return outcome
  const { consentId: made, verification } = createdBy(outcome.value)
  const consent = made && (await findConsents(needs, attempt.accountId, [made])).get(made)
  return ok({ consentId: consent && isMade(consent) ? made : null, verification })
}

// The same where the issuer was not asked, so that no attempt can tell: the consent itself does. null when
// the caller's key has not led to one.
export async function findUnverifiedCreation(
  needs: Pick<Needs, 'db'>,
  { accountId: account, merchantNumber: merchant, callerKey }: Caller,
): Promise<Ok<CreatedConsent> | null> {
  const earlier = callerKey && (await findEarlier(needs.db, { account, ...callerKey }))
  if (!earlier?.ok || earlier.value?.kind !== 'attempt') return null
  const creationRef = earlier.value.ref
  const found = await findUnverifiedConsent(needs.db, { account, merchant, creationRef })
  return found && ok({ consentId: found, verification: null })
}

function createdBy(verification: Attempt): CreatedConsent {
  const made = newConsentOf(verification)
  assert(made !== null, 'the verification of a new consent follows it')
  return { consentId: verification.state === 'approved' ? made : null, verification }
}

type Creation = {
  readonly given: GivenCardWithDetails
  readonly merchant: Merchant
  readonly attempt: NewAttempt
  readonly draft: ConsentDraft
  readonly alongside: StoreAlongside
}

// The consent waits as pending for the issuer's word. Should we die before that is asked for, a task finds
// it.
async function createVerified(
  needs: Needs,
  { given, merchant, attempt, draft, alongside }: Creation,
): Promise<Created> {
  // Nothing is stored that nobody can be asked about.
  if (!needs.line.isUp) return refuse('not_charged')
  const { accountId, at } = draft
  const since = needs.clock.now()
  const made = await needs.db.inTransaction(async (tx) => {
    const pending = await storePending(needs, tx, { given, draft, since })
    const others = await alongside(tx, { consentId: pending, state: 'pending', at })
    return { consentId: pending, others }
  })
  const { consentId: stored, others } = made
  const followed = {
    ...attempt,
    details: { ...attempt.details, consentId: String(stored) },
    following: [following(newConsentFollower, stored, null), ...others],
  }
  const paid = await pay(needs, followed, askFor(needs, given, merchant))
  const outcome = paidOutcome(paid, isNotFound)
  // Declined, never sent, or a repeat of a call that is still running: what was stored for it goes.
  if (!outcome.ok || outcome.value.state !== 'approved')
    await finishNowOrLater(needs, { accountId, consentId: stored, since })
  return outcome.ok ? ok(createdBy(outcome.value)) : outcome
}

async function createUnverified(needs: Needs, creation: Creation): Promise<Created> {
  const { given, attempt, draft, alongside } = creation
  const made = await needs.db.inTransaction(async (tx) => {
    const claimed = await claimCallerKeys(tx, [attempt], needs.clock.now())
    if (claimed.length === 0) return null
    const active = await storeConsent(needs, tx, { given, draft, state: 'active' })
    await alongside(tx, { consentId: active, state: 'active', at: draft.at })
    const { accountId, merchantNumber, details } = draft
    const { lastFour } = given.card.number
    const { customerRef, guid } = details
    const facts = { accountId, merchantNumber, consentId: active, lastFour, customerRef, guid }
    await appendEvents(tx, [consentEvent('consent.created', facts)], draft.at)
    return active
  })
  // Somebody else was first in the very same moment, and what it made is found again by the key.
  return made === null ? refuse('key_running') : ok({ consentId: made, verification: null })
}

function draftOf(
  { accountId, userId, address }: Caller,
  {
    attempt,
    terms,
    kind,
    details,
  }: Pick<ConsentDraft, 'details' | 'kind'> & { attempt: NewAttempt; terms: ConsentTerms },
): ConsentDraft {
  const { merchantNumber, ref: creationRef, createdAt: at } = attempt
  const agreed = { agreement: '', agreedFrom: address }
  return { ...terms, ...agreed, kind, accountId, merchantNumber, details, creationRef, userId, at }
}

function verificationOf(
  { accountClock }: Needs,
  caller: Caller,
  { given, merchant }: Pick<Creation, 'given' | 'merchant'>,
): NewAttempt {
  const ref = newReference()
  const nothing = { minor: 0n, currency: merchant.currency }
  const { number, expiry } = given.card
  const { customerRef: clientRef, ...details } = given.details
  const { holderFirstName, holderLastName, customerFirstName, customerLastName, service, guid } = details
  return {
    accountId: caller.accountId,
    merchantNumber: merchant.merchantNumber,
    kind: 'verify',
    parentId: null,
    amounts: { base: nothing, fee: nothing, total: nothing },
    ref,
    subjectRef: ref,
    ...lostAnswerPolicyOf(caller),
    conditions: { acceptsPartial: false, avsNeeded: 'none', cvvNeeded: false },
    following: [],
    details: {
      consentId: '',
      holderFirstName,
      holderLastName,
      customerFirstName,
      customerLastName,
      service,
      clientRef,
      guid,
      lastFour: number.lastFour,
      brand: number.brand,
      expiry: printExpiry(expiry),
      user: '',
      userId: String(caller.userId),
      origin: 'API',
      feeDecision: '',
    },
    createdAt: accountClock.now(caller.accountId),
  }
}

// The security code goes to the issuer and nowhere else.
function askFor(needs: Needs, { card, details }: GivenCardWithDetails, merchant: Merchant): Ask {
  const { street, zip } = details
  return askWithGivenCard(needs, { card: { ...card, street, zip }, merchant })
}

function isNotFound(refusal: Refusal<string>): refusal is Refusal<'consent_not_found'> {
  return refusal.kind === 'consent_not_found'
}
