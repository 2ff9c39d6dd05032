import { sandboxAccount } from '#capabilities/sandbox/demo-account.ts'
import { createAnnualConsent } from '#capabilities/consents/create-annual-consent.operation.ts'
import { repeatCreation } from '#capabilities/consents/create-consent.operation.ts'
import { type DemoCard, type DemoCardName, demoCards } from '#capabilities/sandbox/demo-cards.ts'
import { lockSeeding } from '#capabilities/sandbox/seed-lock.store.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'

export type SeededConsents = Readonly<Partial<Record<DemoCardName, number>>>

// Saves the demo cards once, and finds their consents at every other start: each has an idempotency key of
// its own, like the calls of any other client.
export async function seedCards(needs: EngineContext, owner: TokenOwner): Promise<SeededConsents> {
  return needs.db.inTransaction(async (tx) => {
    await lockSeeding(tx)
    const seeded: [DemoCardName, number][] = []
    for (const card of demoCards) seeded.push([card.name, await seedCard(needs, owner, card)])
    return Object.fromEntries(seeded)
  })
}

async function seedCard(needs: EngineContext, owner: TokenOwner, card: DemoCard): Promise<number> {
  const callerKey: CallerKey = { operation: 'sandbox', key: card.name, fingerprint: Buffer.alloc(32) }
  const earlier = await findEarlierAttempt(needs, { account: owner.accountId, ...callerKey })
  const created =
    earlier.ok && earlier.value
      ? await repeatCreation(needs, earlier.value)
      : await createAnnualConsent(needs, seeder(needs, owner, callerKey), orderFor(needs, owner, card))
  assert(created.ok && created.value.consentId !== null, `the demo card ${card.name} is on file`)
  return Number(created.value.consentId)
}

// Somebody who calls for the owner of the demo token.
export function seeder(
  needs: EngineContext,
  { accountId, userId, tokenId }: TokenOwner,
  callerKey: CallerKey,
): Caller {
  return {
    accountId,
    userId,
    tokenId,
    merchantNumber: null,
    allowsPartialApprovals: sandboxAccount.allowsPartialApprovals,
    allowsAlternateMerchants: sandboxAccount.allowsAlternateMerchants,
    verifiesCards: sandboxAccount.verifiesCards,
    timeZone: 'UTC',
    sessionDigest: Buffer.alloc(0),
    expiresAt: needs.clock.now(),
    address: '127.0.0.1',
    callerKey,
  }
}

function orderFor(needs: EngineContext, owner: TokenOwner, { name, number, merchant }: DemoCard) {
  return {
    card: { number, expiry: demoExpiry(needs, owner), securityCode: null },
    merchant,
    startsOn: null,
    days: null,
    limitPerCharge: null,
    limitLifetime: null,
    details: demoDetails(name),
    // Nobody called, so nothing has a name.
    names: { startsOn: 'start', days: 'days' },
  }
}

export function demoExpiry({ accountClock }: EngineContext, { accountId }: TokenOwner): CardExpiry {
  const { year } = accountClock.now(accountId).toZonedDateTimeISO('UTC')
  return { month: 12, year: year + 3 }
}

// An invented payer.
export function demoDetails(name: string) {
  return {
    customerRef: `sandbox-${name}`,
    service: 'Books',
    guid: '',
    holderFirstName: 'Alex',
    holderLastName: 'Reader',
    customerFirstName: 'Alex',
    customerLastName: 'Reader',
    company: '',
    email: 'alex.reader@example.com',
    phone: '',
    street: '2 Oak Street',
    zip: '62701',
  }
}
