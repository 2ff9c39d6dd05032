import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    // What a call came to, for the log line of its request. Refusals are answered with 200, so the status
    // does not tell.
    outcome: string | undefined
  }
}

// On the request and not in a WeakMap beside it, which would keep each request, with all that hangs on it,
// from being collected young.
export function keepOutcomes(app: FastifyInstance): void {
  app.decorateRequest('outcome', undefined)
}

export function noteOutcome(request: FastifyRequest, error: string | null): void {
  request.outcome = error ?? 'done'
}
