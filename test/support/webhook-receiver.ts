import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Receiver = {
  readonly url: string
  readonly received: readonly Received[]
  // What the next calls are answered; the last one stays.
  answer(...statuses: readonly number[]): void
}

// Whoever says when it is over: a test, or a whole file.
type Lasting = { after(work: () => void): void }
type Respond = (received: Received, response: ServerResponse) => void

// A real HTTP server on this machine that remembers what it was sent.
export async function openReceiver(t: Lasting, respond?: Respond): Promise<Receiver> {
  const received: Received[] = []
  let statuses: readonly number[] = [200]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(one)
      if (respond) return respond(one, response)
      const [status = 200, ...rest] = statuses
      if (rest.length > 0) statuses = rest
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert(typeof address === 'object' && address)
  return {
    url: `http://127.0.0.1:${address.port}/hooks`,
    received,
    answer: (...next) => {
      assert(next.length > 0)
      statuses = next
    },
  }
}
