import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    // What a call came to, for the log line of its request. Refusals are answered with 200, so the status
    // does not tell.
    outcome: string | null
  }
}

// A member of every request. A WeakMap beside them kept each request, with all that hangs on it, from being
// collected young: ten times as much of a charge grew old.
export function keepOutcomes(app: FastifyInstance): void {
  app.decorateRequest('outcome', null)
}

export function noteOutcome(request: FastifyRequest, error: string | null): void {
  request.outcome = error ?? 'done'
}
