import { keyedRunFollower } from '#capabilities/collection/keyed-run.follower.ts'
import type { RunId } from '#capabilities/collection/keyed-run.ts'
import {
  closeReferences,
  referenceOfTry,
  unlessSeenBefore,
  unsentReferencesOf,
} from '#capabilities/collection/unsent-references.operation.ts'
import { askWithStoredCard } from '#capabilities/consents/ask-with-stored-card.operation.ts'
import { boughtWith, type Consent } from '#capabilities/consents/consent.ts'
import { consentFollower } from '#capabilities/consents/consent.follower.ts'
import { storedCardDetails } from '#capabilities/consents/stored-card-details.ts'
import type { Instalment } from '#capabilities/recurring/instalment.ts'
import { type InstalmentDetail, instalmentFollower } from '#capabilities/recurring/instalment.follower.ts'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { asOrder } from '#engine/orders/follow-order.operation.ts'
import type { NewAttempt, PaymentDetails } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { inBulk } from '#engine/payments/payment-engine.operation.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import type { CardOpening, CardRef } from '#engine/vault/vault.ts'
import { isExpiredOn } from '#kernel/card-expiry.ts'

type Needs = Omit<EngineContext, 'connection'>

// Who charges: the interface in somebody's name, or the gateway by itself.
export type Charger = {
  readonly origin: PaymentDetails['origin']
  readonly userId: string
  // Takes what is named: also what is not due, and instalments whose retries are used up.
  readonly takesNamed: boolean
  // Of the call's idempotency key, where it has one.
  readonly run?: RunId | null
}

export type InstalmentCharge = {
  readonly instalment: Instalment
  readonly consent: Consent
  readonly merchant: Merchant
  readonly charger: Charger
  readonly openCard: (card: CardRef) => Promise<CardOpening | null>
}

// Charges one instalment in lane bulk, once the bank has closed what was recorded for it and never left.
export async function chargeInstalment(needs: Needs, charge: InstalmentCharge): Promise<Paid> {
  const { consent, merchant, instalment } = charge
  const bought = boughtWith(consent, merchant, instalment.instalmentId)
  const sale = await asOrder(needs, saleOf(needs, charge), bought)
  const unsent = await unsentReferencesOf(needs, instalment)
  return pay(inBulk(needs), sale, askFor(needs, charge, unsent))
}

function saleOf(needs: Needs, charge: InstalmentCharge): NewAttempt {
  const { instalment, consent, merchant, charger } = charge
  const { accountId, instalmentId, attempts, amount } = instalment
  const ref = referenceOfTry(needs, instalment, attempts + 1)
  const now = needs.accountClock.now(accountId)
  return {
    accountId,
    merchantNumber: merchant.merchantNumber,
    kind: 'sale',
    parentId: null,
    amounts: amountsOf(amount, { ...amount, minor: 0n }),
    ref,
    subjectRef: ref,
    // We own the retry, so an approval that is found later stands.
    policy: 'resolve',
    conditions: { acceptsPartial: consent.allowsPartialApprovals, avsNeeded: 'none', cvvNeeded: false },
    following: [
      following(consentFollower, consent.consentId, { on: dateIn(merchant.timeZone, now) }),
      following(instalmentFollower, instalmentId, takingOf(instalment, charger)),
      ...(charger.run ? [following(keyedRunFollower, instalmentId, charger.run)] : []),
    ],
    details: detailsOf(charge),
    callerKey: null,
    createdAt: now,
  }
}

function takingOf({ attempts, attemptOn }: Instalment, { takesNamed }: Charger): InstalmentDetail {
  return { attemptsBefore: attempts, takesFailed: takesNamed, attemptOn: takesNamed ? null : attemptOn }
}

function detailsOf({ consent, charger: { origin, userId, takesNamed } }: InstalmentCharge): PaymentDetails {
  const askedBy = takesNamed ? 'choice' : undefined
  return storedCardDetails(consent, { origin, userId, user: '', feeDecision: '', askedBy })
}

// Nobody is asked about a card that is past its expiry on the account's calendar: what the bank would say.
const expired: AcquirerAnswer = { kind: 'declined', code: '54', checks: { avs: '', cvv: '' }, isOurOwn: true }

function askFor(
  needs: Needs,
  { consent, merchant, openCard }: InstalmentCharge,
  unsent: readonly AcquirerRef[],
): Ask {
  const { accountId, card } = consent
  const open = () => openCard({ account: accountId, cardId: card.cardId })
  const ask = askWithStoredCard(needs, { consent, merchant, isRecurring: true, open })
  return async (attempt, signal) => {
    if (isExpiredOn(card.expiry, dateIn(merchant.timeZone, attempt.createdAt))) return expired
    const { attemptId } = attempt
    const obstacle = await closeReferences(needs, unsent, { attemptId, signal })
    return obstacle ?? unlessSeenBefore(await ask(attempt, signal))
  }
}
