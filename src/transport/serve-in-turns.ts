import type { IncomingMessage, Server, ServerResponse } from 'node:http'

type Exchange = readonly [IncomingMessage, ServerResponse]

// Requests that arrive in one turn of the event loop are read first, and then served step by step side by
// side: what a step runs is still in the processor's caches for the next request, and one request after the
// other, each from its first byte to its question to the database, would push it out every time. Whoever
// serves the requests of this server so far goes on doing so.
export function serveInTurns(server: Server): void {
  const servants = server.listeners('request')
  server.removeAllListeners('request')
  let arrived: Exchange[] = []
  // All in one go: between two immediates Node.js runs everything that the first request has led to.
  const serveAll = (): void => {
    const now = arrived
    arrived = []
    for (const exchange of now) for (const serve of servants) Reflect.apply(serve, server, exchange)
  }
  server.on('request', (request, response) => {
    arrived.push([request, response])
    if (arrived.length === 1) setImmediate(serveAll)
  })
}
