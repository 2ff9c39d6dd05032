import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '#capabilities/wire/caller.ts'

// As the command line and the database name them.
export type CallerIds = { readonly account: string; readonly user: string }

declare module 'fastify' {
  interface FastifyRequest {
    // What a call came to, for the log line of its request. Refusals are answered with 200, so the status
    // does not tell.
    outcome: string | undefined
    // Of whom, once the session key has been found good.
    caller: CallerIds | undefined
  }
}

// On the request and not in a WeakMap beside it, which would keep each request, with all that hangs on it,
// from being collected young.
export function keepOutcomes(app: FastifyInstance): void {
  app.decorateRequest('outcome', undefined)
  app.decorateRequest('caller', undefined)
}

export function noteCaller(
  request: FastifyRequest,
  { accountId, userId }: Pick<Caller, 'accountId' | 'userId'>,
): void {
  request.caller = { account: String(accountId), user: String(userId) }
}

export function noteOutcome(request: FastifyRequest, error: string | null): void {
  request.outcome = error ?? 'done'
}
