import { type AskedAmount, askedMoneyOrNull } from '#engine/fees/asked-money.ts'
import {
  type Consent,
  type ConsentId,
  type ConsentTerms,
  isRecurring,
} from '#capabilities/consents/consent.ts'
import { consentEvent } from '#capabilities/consents/consent-event.ts'
import { changeConsent } from '#capabilities/consents/consent.store.ts'
import { endOf } from '#capabilities/consents/consent-terms.ts'
import { lockActiveConsent } from '#capabilities/consents/find-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { type CardExpiry, cardExpiry, isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import { ok, refuse, type Refused, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// null leaves a value as it is.
export type ConsentChanges = {
  readonly consentId: ConsentId
  readonly expiryMonth: number | null
  // Two digits or four.
  readonly expiryYear: number | null
  // What the caller knows both of them as.
  readonly expiryMembers: string
  readonly email: string | null
  readonly zip: string | null
  readonly customerRef: string | null
  readonly service: string | null
  readonly guid: string | null
  readonly days: number | null
  readonly limitPerCharge: AskedAmount | null
  readonly limitLifetime: AskedAmount | null
}

export type ModifiedConsent = { readonly consentId: ConsentId }

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'vault'>
type ExpiryRefusal = 'invalid_card' | 'card_expired'
export type Modified = Result<
  ModifiedConsent,
  ExpiryRefusal | 'consent_not_found' | 'consent_cancelled' | 'value_out_of_range'
>

// What another slice changes together with a consent, in the same commit. Answers whether that is anything.
type ChangeAlongside<Kind extends string> = (
  tx: Tx,
  change: { readonly consent: Consent; readonly at: Temporal.Instant },
) => Promise<Result<boolean, Kind>>

type Modification<Kind extends string> = {
  readonly changes: ConsentChanges
  readonly home: Merchant
  readonly alongside: ChangeAlongside<Kind>
}

// Changes what is known of a consent of any kind, once it is found. A limit may be set below what is used:
// then nothing more fits. The end moves with the days and with the expiry of the card, and never lies past
// the latter.
export async function modifyConsent<Kind extends string>(
  needs: Needs,
  caller: Caller,
  { changes, home, alongside }: Modification<Kind>,
): Promise<Modified | Refused<Kind>> {
  const at = needs.accountClock.now(caller.accountId)
  const today = dateIn(home.timeZone, at)
  return needs.db.inTransaction(async (tx) => {
    const consent = await lockActiveConsent(tx, caller, changes.consentId)
    if (!consent.ok) return consent
    const expiry = newExpiry(changes, consent.value, today)
    if (!expiry.ok) return expiry
    const terms = newTerms(changes, consent.value, expiry.value)
    if (!terms.ok) return terms
    const others = await alongside(tx, { consent: consent.value, at })
    if (!others.ok) return others
    const next = { ...terms.value, details: newDetails(changes, consent.value) }
    const writing = { consent: consent.value, expiry: expiry.value, next, at }
    // Whoever says again what holds already changes nothing, and nobody is told of it.
    if (others.value || isChange(writing)) await write(needs, tx, writing)
    return ok({ consentId: changes.consentId })
  })
}

// null: the expiry stays.
function newExpiry(
  { expiryMonth, expiryYear, expiryMembers }: ConsentChanges,
  { card }: Consent,
  today: Temporal.PlainDate,
): Result<CardExpiry | null, ExpiryRefusal> {
  if (expiryMonth === null && expiryYear === null) return ok(null)
  const expiry = cardExpiry(expiryMonth ?? card.expiry.month, expiryYear ?? card.expiry.year)
  if (!expiry)
    return refuse('invalid_card', {
      problem: `${expiryMembers} are no month and year`,
    })
  return isExpiredOn(expiry, today) ? refuse('card_expired', { expiry: printExpiry(expiry) }) : ok(expiry)
}

function newTerms(
  changes: ConsentChanges,
  consent: Consent,
  expiry: CardExpiry | null,
): Result<ConsentTerms, 'value_out_of_range'> {
  const { currency, startsOn } = consent
  const perCharge = askedMoneyOrNull(changes.limitPerCharge, currency)
  if (!perCharge.ok) return perCharge
  const lifetime = askedMoneyOrNull(changes.limitLifetime, currency)
  if (!lifetime.ok) return lifetime
  const days = changes.days ?? consent.days
  // A plan has its own end, and goes on when a card is renewed.
  const isTermChanged = (changes.days !== null || expiry !== null) && !isRecurring(consent)
  return ok({
    limitPerCharge: perCharge.value ?? consent.limitPerCharge,
    limitLifetime: lifetime.value ?? consent.limitLifetime,
    startsOn,
    endsOn: isTermChanged ? endOf({ startsOn, days, expiry: expiry ?? consent.card.expiry }) : consent.endsOn,
    days,
  })
}

function newDetails(changes: ConsentChanges, { details: old }: Consent): Consent['details'] {
  return {
    ...old,
    email: changes.email ?? old.email,
    zip: changes.zip ?? old.zip,
    customerRef: changes.customerRef ?? old.customerRef,
    service: changes.service ?? old.service,
    guid: changes.guid ?? old.guid,
  }
}

type Writing = {
  readonly consent: Consent
  readonly expiry: CardExpiry | null
  readonly next: ConsentTerms & Pick<Consent, 'details'>
  readonly at: Temporal.Instant
}

function isChange({ consent, expiry, next }: Writing): boolean {
  const { card, details } = consent
  const { email, zip, customerRef, service, guid } = next.details
  const isSame =
    (expiry === null || printExpiry(expiry) === printExpiry(card.expiry)) &&
    next.limitPerCharge.minor === consent.limitPerCharge.minor &&
    next.limitLifetime.minor === consent.limitLifetime.minor &&
    next.endsOn.equals(consent.endsOn) &&
    next.days === consent.days &&
    email === details.email &&
    zip === details.zip &&
    customerRef === details.customerRef &&
    service === details.service &&
    guid === details.guid
  return !isSame
}

async function write({ vault }: Needs, tx: Tx, { consent, expiry, next, at }: Writing) {
  const { accountId, consentId, merchantNumber, card } = consent
  const { customerRef, guid } = next.details
  const facts = { accountId, merchantNumber, consentId, lastFour: card.lastFour, customerRef, guid }
  await Promise.all([
    changeConsent(tx, { ...next, accountId, consentId, at }),
    expiry ? vault.changeExpiry(tx, { account: accountId, cardId: card.cardId, expiry }) : null,
    appendEvents(tx, [consentEvent('consent.changed', facts)], at),
  ])
}
