import type { RequestListener } from 'node:http'

type Arrived = Parameters<RequestListener>

// Requests that arrive in one turn of the event loop are read first, and then served step by step side by
// side: what a step runs is still in the processor's caches for the next request, and one request after the
// other, each from its first byte to its question to the database, would push it out every time.
export function serveInTurns(serve: RequestListener): RequestListener {
  let arrived: Arrived[] = []
  const serveAll = (): void => {
    const now = arrived
    arrived = []
    for (const [request, response] of now) serve(request, response)
  }
  return (request, response) => {
    arrived.push([request, response])
    if (arrived.length === 1) setImmediate(serveAll)
  }
}
