import {
  createRecurringConsent,
  repeatPlanCreation,
} from '#capabilities/recurring/create-recurring-consent.operation.ts'
import { demoCards } from '#capabilities/sandbox/demo-cards.ts'
import { demoDetails, demoExpiry, seeder } from '#capabilities/sandbox/seed-cards.operation.ts'
import { lockSeeding } from '#capabilities/sandbox/seed-lock.store.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
import type { EngineContext } from '#engine/context.ts'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'

// The payment of the demo plan that is due from the first day.
export type SeededSchedules = { readonly due: number }

// Makes a weekly plan once, whose first payment is due at once, and finds it at every other start. Record 1
// does not collect by itself, so the payment waits for a call.
export function seedPlan(needs: EngineContext, owner: TokenOwner): Promise<SeededSchedules> {
  return needs.db.inTransaction(async (tx) => {
    await lockSeeding(tx)
    const callerKey: CallerKey = { operation: 'sandbox', key: 'plan', fingerprint: Buffer.alloc(32) }
    const earlier = await findEarlierAttempt(needs, { account: owner.accountId, ...callerKey })
    const created =
      earlier.ok && earlier.value
        ? await repeatPlanCreation(needs, earlier.value)
        : await createRecurringConsent(needs, seeder(needs, owner, callerKey), orderFor(needs, owner))
    const due = created.ok ? created.value.schedule[0]?.instalmentId : undefined
    assert(due, 'the demo plan has a first payment')
    return { due: Number(due) }
  })
}

function orderFor(needs: EngineContext, owner: TokenOwner) {
  const [visa] = demoCards
  assert(visa, 'there are demo cards')
  return {
    card: { number: visa.number, expiry: demoExpiry(needs, owner), securityCode: null },
    merchant: visa.merchant,
    details: demoDetails('plan'),
    startsOn: null,
    payments: 12,
    total: { amount: { units: 120n, scale: 0 }, member: 'total' },
    period: 'WEEKLY',
    // Nobody called, so nothing has a name.
    names: { startsOn: 'start' },
  } as const
}
