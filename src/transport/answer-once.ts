import { Check } from 'typebox/value'
import type { Context } from '#capabilities/context.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { CardInfoRequest, comparableCard } from '#capabilities/wire/card-info.wire.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import type { Attempt, CallerKey } from '#engine/payments/attempt.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import { type Answer, refusedBeforeCall, wrap } from '#transport/answer.ts'
import { idempotencyKeyForm } from '#transport/idempotency-key.ts'

type KeyedCall = { readonly caller: Caller; readonly key: string; readonly body: object }

// A call with an idempotency key: done once, answered as often as it is sent. Another request under the
// same key is refused, and so is the same one while the first is still running.
export async function answerOnce(
  context: Context,
  operation: Operation<Context>,
  { caller, key, body }: KeyedCall,
): Promise<Answer> {
  if (!idempotencyKeyForm.test(key)) {
    const problem = 'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters'
    return refusedBeforeCall(operation, refuse('value_out_of_range', { problem }).refusal)
  }
  const callerKey = {
    operation: operation.contract.path,
    key,
    fingerprint: fingerprintOf(context, operation, body),
  }
  const askEarlier = () => answerFromEarlier(context, operation, { caller, callerKey })
  const earlier = operation.contract.asksKeyLate ? null : await askEarlier()
  if (earlier) return earlier
  const answered = await operation.answer(context, { ...caller, callerKey }, body)
  // What was done or recorded under the key just now is the answer. A refusal is one only if nothing had
  // been done before; somebody else may also have been first in the very same moment.
  if (answered.ok || answered.refusal.known) return wrap(answered)
  return (await askEarlier()) ?? wrap(answered)
}

type Asked = { readonly caller: Caller; readonly callerKey: CallerKey }

async function answerFromEarlier(
  context: Context,
  operation: Operation<Context>,
  { caller, callerKey }: Asked,
): Promise<Answer | null> {
  const found = await findEarlierAttempt(context, { account: caller.accountId, ...callerKey })
  if (!found.ok) return turnedAway(context, operation, { caller, refusal: found.refusal })
  // The account is the same, but a caller for one merchant record hears nothing of another: the call is made
  // as if there had been none before, and refused for what it asks of that record.
  if (found.value && !worksFor(caller, found.value)) return null
  const repeated = found.value
    ? await operation.replay?.(context, found.value)
    : await operation.replayMade?.(context, { ...caller, callerKey })
  if (!repeated) return null
  const answer = wrap(repeated)
  // There is nothing to be repeated yet.
  if (answer.error === 'key_running') return answer
  return { ...answer, notes: { ...answer.notes, 'Idempotent-Replayed': 'true' } }
}

type TurnedAway = {
  readonly caller: Caller
  readonly refusal: Refusal<'key_reused' | 'key_running', Attempt>
}

// A call that is still running names its transaction, in the way of its operation.
async function turnedAway(
  context: Context,
  operation: Operation<Context>,
  { caller, refusal }: TurnedAway,
): Promise<Answer> {
  const known = refusal.known && worksFor(caller, refusal.known) ? refusal.known : null
  const running = known && (await operation.replay?.(context, known))
  return running && !running.ok
    ? wrap({ ok: false, refusal, members: running.members })
    : refusedBeforeCall(operation, refusal)
}

// Keyed, because a body may hold a card number.
function fingerprintOf({ keyRing }: Context, { contract }: Operation<Context>, body: object): Buffer {
  const whole = JSON.stringify(body)
  const text = secretMember.test(whole) ? JSON.stringify(body, withoutSecrets) : whole
  return keyRing.keyedDigest('idempotency', `${contract.path}\n${text}`)
}

const secretMember = /"(?:CSV|Track)":/

function withoutSecrets(name: string, value: unknown): unknown {
  if (name !== 'ccCardInfo') return value
  return Check(CardInfoRequest, value) ? comparableCard(value) : undefined
}
