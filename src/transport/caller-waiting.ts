import type { FastifyRequest } from 'fastify'
import type { Log } from '#platform/log.ts'

// Whether somebody is still there to hear the answer. A connection of which one side was closed is closed by
// us as well, so whoever hung up cannot be waiting.
export function isCallerWaiting({ raw: { socket } }: FastifyRequest): boolean {
  return !socket.destroyed && !socket.writableEnded
}

// What nobody hears is not answered, so that it would have no line of its own.
export function logIfUnheard(request: FastifyRequest, log: Log): void {
  if (isCallerWaiting(request)) return
  const { id: requestId, routeOptions, outcome, ip: address } = request
  log.warn({ requestId, route: routeOptions.url, outcome, address }, 'The caller hung up before the answer')
}
