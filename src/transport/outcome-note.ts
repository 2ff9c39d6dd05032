import type { FastifyRequest } from 'fastify'

// What a call came to, for the log line of its request. Refusals are answered with 200, so the status does
// not tell.
const outcomes = new WeakMap<FastifyRequest, string>()

export function noteOutcome(request: FastifyRequest, error: string | null): void {
  outcomes.set(request, error ?? 'done')
}

export function notedOutcome(request: FastifyRequest): string | undefined {
  return outcomes.get(request)
}
