import type { Operation, WireAnswer } from '#capabilities/wire/contract.ts'
import { doneEnvelope, refusedEnvelope } from '#capabilities/wire/envelope.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import type { Refusal } from '#kernel/result.ts'

export type Answer = {
  readonly error: ErrorName | null
  // Envelope and members, without the result key.
  readonly result: object
  readonly notes: Readonly<Record<string, string>>
}

export function wrap(answer: WireAnswer): Answer {
  if (!answer.ok) return refusedWith(answer.members, answer.refusal)
  const { message, members, notes = {} } = answer.reply
  return { error: null, result: { ...doneEnvelope(message), ...members }, notes }
}

// What a call answers that never reached its operation, or any; the envelope is there all the same.
export function refusedBeforeCall(
  operation: Pick<Operation<never>, 'refusedMembers'> | null,
  refusal: Refusal<ErrorName>,
): Answer {
  return refusedWith(operation?.refusedMembers() ?? {}, refusal)
}

const tryAgainAfterSeconds: Partial<Record<ErrorName, number>> = { busy: 1, key_running: 1 }

function refusedWith(members: object, refusal: Refusal<ErrorName>): Answer {
  const seconds = tryAgainAfterSeconds[refusal.kind] ?? refusal.details['seconds']
  const notes = seconds === undefined ? {} : { 'Retry-After': String(seconds) }
  return { error: refusal.kind, result: { ...refusedEnvelope(refusal), ...members }, notes }
}
