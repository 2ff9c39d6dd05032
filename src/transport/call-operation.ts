import type { Context } from '#capabilities/context.ts'
import { compareCurrency } from '#capabilities/currency/compare-currency.operation.ts'
import { mayLookLikeCards } from '#capabilities/currency/references-like-cards.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import type { Caller, Visitor } from '#capabilities/wire/caller.ts'
import { sandboxReason } from '#capabilities/wire/charge.wire.ts'
import type { ContractFacts, Operation } from '#capabilities/wire/contract.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { knownNames } from '#capabilities/wire/family-names.ts'
import { cardNumberProblem } from '#capabilities/wire/judge-text.ts'
import { type Beside, nothingBeside } from '#capabilities/wire/other-members.ts'
import { type ReadRequest, requestReader } from '#capabilities/wire/read-request.ts'
import { holdsCardNumber } from '#kernel/card-in-text.ts'
import { ok, refuse, type Refusal, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import { CommitInDoubt, DatabaseUnavailable, isOutOfTime } from '#platform/postgres/failures.ts'
import type { RateLimiter } from '#platform/rate-limiter.ts'
import type { Admission } from '#transport/admission.ts'
import { type Answer, refusedBeforeCall, wrap } from '#transport/answer.ts'
import { answerOnce } from '#transport/answer-once.ts'
import { isIdempotencyKeyName, takesKeyMember } from '#transport/idempotency-key.ts'
import { ignoredMembersLog, ignoredNote, printablePaths } from '#transport/ignored-members.ts'
import { sessionKeyName } from '#transport/session-key.ts'

// Both faces take bodies of this size at the most.
export const bodyBytesMax = 262_144

export type Call = {
  // What the transport has parsed: plain values, not yet checked.
  readonly body: unknown
  readonly sessionKey: Secret | null
  readonly idempotencyKey: string | null
  readonly address: string
  readonly requestId: string
  readonly isWaiting: () => boolean
  // Receives the caller as soon as the session key has been found good.
  readonly noteCaller?: (caller: Caller) => void
}

export type CallOperation = (operation: Operation<Context>, call: Call) => Promise<Answer>

type Limits = { readonly queries: RateLimiter; readonly changes: RateLimiter }
export type CallNeeds = {
  readonly context: Context
  // The same for calls that undo a payment, which wait for nobody else's connections.
  readonly vital: Context
  readonly admission: Admission
  // null when rate limits are off.
  readonly limits: Limits | null
  readonly observe: (call: {
    readonly operation: string
    readonly error: ErrorName | null
    readonly ms: number
  }) => void
}

// The one choke point of REST and SOAP: admission, session, shape of the request, rate limit, the operation
// itself, and the envelope around whatever came of it. A fault is caught here and nowhere else.
export function operationCaller(needs: CallNeeds, operations: readonly Operation<Context>[]): CallOperation {
  const names = knownNames(operations.map(({ contract }) => contract))
  const readers = new Map(operations.map((operation) => [operation, readerOf(operation.contract, names)]))
  const { log, clock } = needs.context
  const logIgnored = ignoredMembersLog(log, () => clock.now().epochMilliseconds)
  return async (operation, call) => {
    const began = performance.now()
    const said = await answerCall(needs, operation, { ...call, read: readers.get(operation), logIgnored })
    const answer = needs.context.keyRing.mode === 'sandbox' ? said : withoutReason(said)
    const { path } = operation.contract
    needs.observe({ operation: path, error: answer.error, ms: performance.now() - began })
    return answer
  }
}

function readerOf(contract: ContractFacts, names: ReadonlySet<string>): ReadRequest {
  const [takesKey, takesSession] = [takesKeyMember(contract), contract.literalPath !== undefined]
  return requestReader(contract.request, {
    namesMoney: contract.currencyOf !== undefined,
    isKnownElsewhere: (name) => names.has(name),
    isOfTransport: (name) =>
      (takesKey && isIdempotencyKeyName(name)) || (takesSession && name === sessionKeyName),
  })
}

// Where money is real nothing is provoked, whatever a connector says.
function withoutReason({ notes, ...answer }: Answer): Answer {
  const kept = Object.entries(notes).filter(([name]) => name !== sandboxReason)
  return { ...answer, notes: Object.fromEntries(kept) }
}

type ReadableCall = Call & {
  readonly read: ReadRequest | undefined
  readonly logIgnored: ReturnType<typeof ignoredMembersLog>
}

async function answerCall(
  needs: CallNeeds,
  operation: Operation<Context>,
  call: ReadableCall,
): Promise<Answer> {
  const { load } = operation.contract
  let isIn = false
  try {
    // Nobody goes past the others before it is known who that is.
    const known = load === 'vital' ? await whoCalls(needs, operation, call) : null
    if (known && !known.ok) return refusedBeforeCall(operation, known.refusal)
    const entered = needs.admission.enter(load)
    isIn = typeof entered === 'boolean' ? entered : await entered
    if (!isIn) return refusedBeforeCall(operation, refuse('busy').refusal)
    const who = known ?? (await whoCalls(needs, operation, call))
    return who.ok
      ? await answerAdmitted(needs, operation, { call, who: who.value })
      : refusedBeforeCall(operation, who.refusal)
  } catch (error) {
    return refusedBeforeCall(operation, faultFor(needs, operation, { error, requestId: call.requestId }))
  } finally {
    if (isIn) needs.admission.leave()
  }
}

async function answerAdmitted(
  needs: CallNeeds,
  operation: Operation<Context>,
  { call, who }: { readonly call: ReadableCall; readonly who: Visitor | Caller },
): Promise<Answer> {
  const beside = nothingBeside()
  noteKey(operation, call, beside)
  const read = call.read?.(call.body, beside) ?? ok({})
  if (!read.ok) return refusedBeforeCall(operation, read.refusal)
  const held = judgeSending(needs, operation)
  if (held) return refusedBeforeCall(operation, held)
  const limited = judgeRate(needs, operation, who)
  if (limited) return refusedBeforeCall(operation, limited)
  const answer = await answerRead(needs, operation, { call, who, body: read.value, beside })
  const { ignored } = beside
  return ignored.size === 0 ? answer : noteIgnored(answer, operation, { call, who, ignored })
}

type ReadCall = {
  readonly call: ReadableCall
  readonly who: Visitor | Caller
  readonly body: object
  readonly beside: Beside
}

async function answerRead(
  needs: CallNeeds,
  operation: Operation<Context>,
  { call, who, body, beside: { currencies, cardLike } }: ReadCall,
): Promise<Answer> {
  const { contract } = operation
  const context = contract.load === 'vital' ? needs.vital : needs.context
  if (!('accountId' in who)) return wrap(await operation.answer(context, who, body))
  if (currencies.length > 0 && contract.currencyOf) {
    const refusal = await compareCurrency(context, who, { owner: contract.currencyOf, body, currencies })
    if (refusal) return refusedBeforeCall(operation, refusal)
  }
  const [reference] = cardLike
  if (reference !== undefined) {
    const owner = contract.currencyOf ?? null
    if (!(await mayLookLikeCards(context, who, { owner, body }))) {
      const problem = cardNumberProblem(reference)
      return refusedBeforeCall(operation, refuse('value_out_of_range', { problem }).refusal)
    }
  }
  if (!contract.takesKey) return wrap(await operation.answer(context, who, body))
  if (call.idempotencyKey === null) {
    const { isWaiting } = call
    return wrap(await operation.answer(context, { ...who, isWaiting }, body))
  }
  return await answerOnce(context, operation, { caller: who, key: call.idempotencyKey, body })
}

// A key is stored, and so it is a reference like others.
function noteKey(
  { contract: { takesKey } }: Operation<Context>,
  { idempotencyKey }: Call,
  { cardLike }: Beside,
): void {
  if (takesKey && idempotencyKey !== null && holdsCardNumber(idempotencyKey)) cardLike.add('Idempotency-Key')
}

type Ignored = Pick<ReadCall, 'call' | 'who'> & Pick<Beside, 'ignored'>

function noteIgnored(
  answer: Answer,
  { contract }: Operation<Context>,
  { call, who, ignored }: Ignored,
): Answer {
  const paths = printablePaths([...ignored])
  const { requestId } = call
  if ('accountId' in who)
    call.logIgnored({ account: who.accountId, operation: contract.path, requestId, paths })
  return { ...answer, notes: { ...answer.notes, ...ignoredNote(paths) } }
}

async function whoCalls(
  { context }: CallNeeds,
  { contract }: Operation<Context>,
  { sessionKey, address, noteCaller }: Call,
): Promise<Result<Visitor | Caller, 'session_invalid' | 'session_elsewhere'>> {
  if (contract.access === 'open') return ok({ address })
  if (!sessionKey) return refuse('session_invalid')
  const caller = await resolveSession(context, { sessionKey, address })
  if (caller.ok) noteCaller?.(caller.value)
  return caller
}

function movesMoney({ load }: ContractFacts): boolean {
  return load === 'money' || load === 'vital'
}

// Reads go on while nothing may be sent.
function judgeSending(
  { context: { sending } }: CallNeeds,
  { contract }: Operation<Context>,
): Refusal<ErrorName> | null {
  if (!movesMoney(contract) || !sending.hold) return null
  // Only for what an operator has to confirm: the rest ends by itself, and the call may be made again.
  const { kind, because } = sending.hold
  return kind === 'paused' ? refuse('paused', { because }).refusal : refuse('busy').refusal
}

function judgeRate(
  { limits, context }: CallNeeds,
  { contract }: Operation<Context>,
  who: Visitor | Caller,
): Refusal<ErrorName> | null {
  if (!limits || !('accountId' in who)) return null
  const limiter = contract.load === 'query' ? limits.queries : limits.changes
  const waitMs = limiter.take(who.accountId.toString(), context.clock.now().epochMilliseconds)
  return waitMs === 0 ? null : refuse('rate_limited', { seconds: Math.ceil(waitMs / 1_000) }).refusal
}

function faultFor(
  { context }: CallNeeds,
  { contract }: Operation<Context>,
  { error, requestId }: { error: unknown; requestId: string },
): Refusal<ErrorName> {
  const where = { operation: contract.path, requestId }
  // A question may be asked again, whatever became of its commit.
  const isInDoubt = error instanceof CommitInDoubt && contract.load !== 'query'
  if (isInDoubt && movesMoney(contract)) {
    context.log.warn({ ...where, err: error.cause }, 'The database went away at a commit of a call')
    return refuse('outcome_unknown').refusal
  }
  if (error instanceof DatabaseUnavailable && !isInDoubt) {
    context.log.warn({ ...where, err: error.cause }, 'The database does not answer')
    return refuse('busy').refusal
  }
  if (isOutOfTime(error)) {
    context.log.warn(
      { ...where, err: error },
      'A call was kept waiting by others for too long and was undone',
    )
    return refuse('busy').refusal
  }
  const faultId = randomLetters()
  context.log.error({ ...where, faultId, err: error }, 'A call failed by a fault of ours')
  return refuse('fault', { faultId }).refusal
}
