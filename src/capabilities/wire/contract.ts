import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Caller, Visitor } from '#capabilities/wire/caller.ts'
import type { ErrorName, RequestFault } from '#capabilities/wire/error-codes.ts'
import { currencyName } from '#capabilities/wire/other-members.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { Refusal, Result } from '#kernel/result.ts'

// Any object schema. TypeBox's own TObject cannot stand for all of them, because it also carries the names
// of required members.
export type ObjectSchema = TSchema & Pick<TObject, 'type' | 'properties'>

export type Access = 'open' | 'session'
export type Who<A extends Access> = A extends 'open' ? Visitor : Caller

// What a call costs and risks: decides which rate limit counts it, and in which order calls are turned away
// under load. vital: undoes or ends a payment that was begun, and is never turned away.
export type Load = 'sign-in' | 'query' | 'change' | 'money' | 'vital'

// Which member names the thing whose merchant record decides the currency, by its path from the body.
export type CurrencyOwner = {
  readonly kind: 'record' | 'consent' | 'transaction' | 'schedules' | 'order' | 'token'
  readonly path: string
}

// What REST, SOAP, OpenAPI, the WSDL, the docs and the contract tests need to know of an operation.
export type ContractFacts = {
  // The last part of the path, for example 'ConsentAnnual/CalcFees'.
  readonly path: string
  // Which of the two prefixes the docs name; every operation is reachable under both. What only the sandbox
  // has is reachable under its own.
  readonly prefix: '/APIcardProcService/v1.0.0/' | '/APIcardProcREST/v1.0.0/' | '/sandbox/'
  // A literal path beside the two usual ones. Where there is one, the session key may be a member of the body
  // too.
  readonly literalPath?: string
  // There wherever a call moves money or is given amounts. Such a call may name its currency, and a member
  // that would change money is refused instead of ignored.
  readonly currencyOf?: CurrencyOwner
  // Always written out, because the specification's keys are irregular.
  readonly resultKey: string
  readonly access: Access
  readonly load: Load
  readonly isBeyondSpecification: boolean
  // Whether a call may carry an idempotency key: everything that moves money, creates or sends.
  readonly takesKey: boolean
  // The key is claimed together with the attempt, and nothing else was written before: earlier answers are
  // looked for only when that fails. Saves every first call a read.
  readonly asksKeyLate?: true
  readonly title: string
  readonly description: string
  readonly request: ObjectSchema
  readonly result: ObjectSchema
  readonly refusals: readonly ErrorName[]
  readonly example: { readonly request: object; readonly result: object; readonly message: string }
}

export type Reply<Members> = {
  readonly message: string
  readonly members: Members
  // Facts about the answer that are not part of it; REST sends them as headers.
  readonly notes?: Readonly<Record<string, string>>
}

export type Contract<
  A extends Access,
  Request extends ObjectSchema,
  Members extends ObjectSchema,
  Input,
  Done,
  Kind extends ErrorName,
  Known,
> = Omit<ContractFacts, 'access' | 'request' | 'result' | 'refusals'> & {
  readonly access: A
  readonly request: Request
  readonly result: Members
  readonly refusals: readonly Kind[]
  readonly fromWire: (body: Static<Request>, who: Who<A>) => Result<Input, RequestFault>
  readonly toWire: (done: Done) => Reply<Static<Members>>
  // The members of a refused call. What is known nonetheless (the expired token's user, the recorded
  // attempt) is passed in.
  readonly refusedToWire: (known: Known | null) => Static<Members>
}

export function defineContract<
  const A extends Access,
  Request extends ObjectSchema,
  Members extends ObjectSchema,
  Input,
  Done,
  const Kind extends ErrorName = never,
  Known = never,
>(
  contract: Contract<A, Request, Members, Input, Done, Kind, Known>,
): Contract<A, Request, Members, Input, Done, Kind, Known> {
  return contract.currencyOf ? { ...contract, request: withCurrency(contract.request) } : contract
}

// The reader of requests takes the member out again, so that the code behind it need not know of it.
function withCurrency<Request extends ObjectSchema>({ properties }: Request): Request {
  const member = Type.String({
    maxLength: 3,
    description: 'The currency of the merchant record, such as USD; refused when it is another one.',
  })
  const schema: TSchema = Type.Object({ ...properties, [currencyName]: Type.Optional(member) })
  return schema as Request
}

export type WireAnswer =
  | { readonly ok: true; readonly reply: Reply<object> }
  | { readonly ok: false; readonly refusal: Refusal<ErrorName>; readonly members: object }

// An operation as the transports see it: facts, and a function from a validated body to an answer.
export type Operation<Needs> = {
  readonly contract: ContractFacts
  readonly answer: (needs: Needs, who: Visitor | Caller, body: object) => Promise<WireAnswer>
  // What a call answers that was refused before its operation ran.
  readonly refusedMembers: () => object
  // The answer once more, from the rows of the attempt that the caller's key led to.
  readonly replay: ((needs: Needs, attempt: Attempt) => Promise<WireAnswer>) | null
  // The same where the caller's key led to something that was made without an attempt; null when it did not.
  readonly replayMade: ((needs: Needs, caller: Caller) => Promise<WireAnswer | null>) | null
}

export type Run<Needs, A extends Access, Input, Done, Kind extends ErrorName, Known> = (
  needs: Needs,
  who: Who<A>,
  input: Input,
) => Promise<Result<Done, Kind, Known>>

// Joins a contract with what it runs. The types meet here: an operation that can refuse with a word that
// its contract does not list, or that the table of error codes does not know, does not compile.
export function serve<
  Needs,
  A extends Access,
  Request extends ObjectSchema,
  Members extends ObjectSchema,
  Input,
  Done,
  Kind extends ErrorName,
  Known,
>(
  contract: Contract<A, Request, Members, Input, Done, Kind, Known>,
  run: Run<Needs, A, Input, Done, NoInfer<Kind>, Known>,
  replay?: (needs: Needs, attempt: Attempt) => Promise<Result<Done, NoInfer<Kind>, Known>>,
  findMade?: (needs: Needs, caller: Caller) => Promise<Result<Done, NoInfer<Kind>, Known> | null>,
): Operation<Needs> {
  const answerOf = (result: Result<Done, Kind, Known>): WireAnswer =>
    result.ok
      ? { ok: true, reply: contract.toWire(result.value) }
      : { ...result, members: contract.refusedToWire(toldBy(result.refusal)) }
  return {
    contract,
    replay: replay ? async (needs, attempt) => answerOf(await replay(needs, attempt)) : null,
    replayMade: findMade
      ? async (needs, caller) => {
          const made = await findMade(needs, caller)
          return made && answerOf(made)
        }
      : null,
    refusedMembers: () => contract.refusedToWire(null),
    answer: async (needs, who, body) => {
      // call-operation.ts has checked the body against this very schema and resolved the caller if the
      // contract asks for one.
      const [knownWho, knownBody] = [who, body] as [Who<A>, Static<Request>]
      const input = contract.fromWire(knownBody, knownWho)
      if (!input.ok) return { ...input, members: contract.refusedToWire(null) }
      return answerOf(await run(needs, knownWho, input.value))
    },
  }
}

function toldBy<Known>({ known, found }: Refusal<string, Known>): Known | null {
  return known ?? found ?? null
}
