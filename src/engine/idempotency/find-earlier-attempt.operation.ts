import { findEarlier } from '#engine/idempotency/claim-keys.operation.ts'
import { type Attempt, type CallerKey, isFinal } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { resolveAttempt } from '#engine/payments/resolve-attempt.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Asked = CallerKey & { readonly account: AccountId }

// The attempt that an earlier call with this key led to, or null when no attempt tells: nothing happened
// under the key yet, or something else was made. One that is being sent is running, and is named. One whose
// outcome is not known is asked about once more.
export async function findEarlierAttempt(
  needs: PaymentNeeds,
  asked: Asked,
): Promise<Result<Attempt | null, 'key_reused' | 'key_running', Attempt>> {
  const earlier = await findEarlier(needs.db, asked)
  if (!earlier.ok) return earlier
  if (earlier.value?.kind !== 'attempt') return ok(null)
  const { ref } = earlier.value
  const attempt = await findAttemptByReference(needs, { account: asked.account, ref })
  if (!attempt || attempt.state === 'not_sent') return ok(null)
  if (attempt.state === 'sending') return refuse('key_running', {}, attempt)
  if (isFinal(attempt.state)) return ok(attempt)
  return ok(await resolveAttempt(needs, attempt, { isCallerWaiting: () => true }))
}
