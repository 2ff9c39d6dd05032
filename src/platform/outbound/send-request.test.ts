import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net'
import { test, type TestContext } from 'node:test'
import { requestSender, type SendRequest } from '#platform/outbound/send-request.ts'

const send = requestSender({ mode: 'sandbox' })
const body = Buffer.from('{"type":"payment.approved"}')

function post(url: string, sender: SendRequest = send, signal?: AbortSignal) {
  return sender({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body }, signal)
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function receiver(t: TestContext, answer: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(answer)
  t.after(() => server.closeAllConnections())
  const port = await listening(t, server)
  return { url: `http://127.0.0.1:${port}/hooks?a=b`, port }
}

test('what is sent arrives as it is, and the head of the answer is told', async (t) => {
  const seen: string[] = []
  const { url, port } = await receiver(t, (request, response) => {
    request.on('data', (chunk: Buffer) => seen.push(chunk.toString()))
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`, String(request.headers.host))
      response.writeHead(202, { 'X-Shop': 'yes', 'Set-Cookie': 'a=b', 'Retry-After': '7' }).end('thanks')
    })
  })
  const outcome = await post(url)
  assert.deepEqual(seen, [body.toString(), 'POST /hooks?a=b', `127.0.0.1:${port}`])
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual([outcome.status, outcome.retryAfter], [202, '7'])
  assert.match(outcome.head, /^HTTP\/1\.1 202 Accepted\nX-Shop: yes\n/)
  assert.doesNotMatch(outcome.head, /cookie|thanks/i)
})

test('nothing in the head of an answer moves the terminal that shows it', async (t) => {
  const answer = 'HTTP/1.1 500 \u001b[2Joops\r\nX-Shop: a\tb\u009b31m\r\nContent-Length: 0\r\n\r\n'
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(Buffer.from(answer, 'latin1')))
  })
  const outcome = await post(`http://127.0.0.1:${await listening(t, server)}/`)
  assert.ok(outcome.kind === 'answered')
  assert.equal(outcome.head, 'HTTP/1.1 500  [2Joops\nX-Shop: a b 31m\nContent-Length: 0')
})

test('a card number in the head of an answer is masked', async (t) => {
  const { url } = await receiver(t, (_, response) => {
    response.writeHead(500, { 'X-Shop': 'no 4111 1111 1111 1111' }).end()
  })
  const outcome = await post(url)
  assert.ok(outcome.kind === 'answered')
  assert.match(outcome.head, /^X-Shop: no \[card 1111\]$/m)
})

test('a redirect is an answer and is not followed', async (t) => {
  let calls = 0
  const { url } = await receiver(t, (_, response) => {
    calls++
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const outcome = await post(url)
  assert.deepEqual([outcome.kind === 'answered' && outcome.status, calls], [302, 1])
})

test('an answer without end is cut off, and its status counts', async (t) => {
  let hasEnded = false
  const { url } = await receiver(t, (_, response) => {
    response.writeHead(200)
    const pour = (): void => {
      if (hasEnded) return
      if (response.write(Buffer.alloc(16_384))) setImmediate(pour)
    }
    response.on('drain', pour).on('close', () => (hasEnded = true))
    pour()
  })
  const outcome = await post(url)
  assert.equal(outcome.kind === 'answered' && outcome.status, 200)
  await t.waitFor(() => assert.ok(hasEnded), { timeout: 30_000 })
})

test('a receiver that never answers is given up', async (t) => {
  const { url } = await receiver(t, () => undefined)
  const outcome = await post(url, requestSender({ mode: 'sandbox', totalMs: 1_000 }))
  assert.deepEqual(outcome, { kind: 'failed', because: 'No answer within 1000 ms', mayHaveArrived: true })
})

test('a receiver whose answer stops in the middle is judged by its status', async (t) => {
  const { url } = await receiver(t, (_, response) => response.writeHead(200).write('so far'))
  const outcome = await post(url, requestSender({ mode: 'sandbox', totalMs: 1_000 }))
  assert.equal(outcome.kind === 'answered' && outcome.status, 200)
})

test('a receiver whose answer is no HTTP behind its head is judged by its status', async (t) => {
  const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n'
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write(answer))
  })
  const outcome = await post(`http://127.0.0.1:${await listening(t, server)}/`)
  assert.equal(outcome.kind === 'answered' && outcome.status, 200)
})

test('a node that stops while the rest of an answer is on its way has been answered', async (t) => {
  const stopping = new AbortController()
  const { url } = await receiver(t, (_, response) => response.writeHead(200).write('so far'))
  const stop = (): void => void setImmediate(() => stopping.abort())
  subscribe('http.client.response.finish', stop)
  t.after(() => unsubscribe('http.client.response.finish', stop))
  const outcome = await post(url, send, stopping.signal)
  assert.equal(outcome.kind === 'answered' && outcome.status, 200)
})

test('what is answered is kept only for whoever wants to read it', async (t) => {
  const { url } = await receiver(t, (_, response) => response.end('{"sid":"SM1"}'))
  const outgoing = { url, method: 'POST', headers: {}, body: Buffer.from('x') } as const
  const dropped = await send(outgoing)
  const kept = await send({ ...outgoing, keepsAnswer: true })
  assert.deepEqual(
    [dropped, kept].map((one) => one.kind === 'answered' && one.body.toString()),
    ['', '{"sid":"SM1"}'],
  )
})

test('a TLS connection that is never made is given up', async (t) => {
  const port = await listening(
    t,
    createSocketServer((socket) => {
      t.after(() => socket.destroy())
    }),
  )
  const outcome = await post(`https://127.0.0.1:${port}/`, requestSender({ mode: 'sandbox', connectMs: 50 }))
  assert.deepEqual(outcome, { kind: 'failed', because: 'No connection within 50 ms', mayHaveArrived: false })
})

test('a node that stops does not wait for the answer', async (t) => {
  const stopping = new AbortController()
  const { url } = await receiver(t, () => stopping.abort())
  const outcome = await post(url, send, stopping.signal)
  assert.deepEqual(outcome, {
    kind: 'failed',
    because: 'Stopped before it was answered',
    mayHaveArrived: true,
  })
})

for (const [what, answer, because] of [
  ['hangs up', '', 'The connection was cut'],
  ['speaks something else', 'SSH-2.0-OpenSSH\r\n', 'The answer is no HTTP'],
] as const) {
  test(`a receiver that ${what} has failed`, async (t) => {
    const port = await listening(
      t,
      createSocketServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.end(answer))
      }),
    )
    assert.deepEqual(await post(`http://127.0.0.1:${port}/`), {
      kind: 'failed',
      because,
      mayHaveArrived: true,
    })
  })
}

test('nobody at that port is told as such', async (t) => {
  const server = createSocketServer()
  const port = await listening(t, server)
  server.close()
  await once(server, 'close')
  const outcome = await post(`http://127.0.0.1:${port}/`)
  assert.deepEqual(outcome, { kind: 'failed', because: 'The connection was refused', mayHaveArrived: false })
})

test('a host name is resolved once for each request, and that very address is called', async (t) => {
  const hosts: (string | undefined)[] = []
  const { port } = await receiver(t, (request, response) => {
    hosts.push(request.headers.host)
    response.end()
  })
  let asked = 0
  // The second answer would lead elsewhere.
  const resolve = async () => (asked++ % 2 === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
  const outcome = await post(`http://shop.example:${port}/`, requestSender({ mode: 'sandbox', resolve }))
  assert.equal(outcome.kind, 'answered')
  assert.deepEqual([asked, hosts], [1, [`shop.example:${port}`]])
})

const inside = `127.0.0.1 10.0.0.1 169.254.169.254 ::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 fd00::1 0.0.0.0
  100.64.0.1 168.63.129.16 2002:7f00:1::1`.split(/\s+/)

test('in live mode no name leads inside, whatever the name server says and in whatever order', async (t) => {
  let calls = 0
  const server = createSocketServer(() => calls++)
  await listening(t, server)
  for (const address of inside) {
    for (const addresses of [[address], ['93.184.215.14', address], [address, '93.184.215.14']]) {
      const live = requestSender({ mode: 'live', resolve: async () => addresses })
      const outcome = await post('https://shop.example/hooks', live)
      assert.deepEqual(
        outcome,
        { kind: 'failed', because: 'The host is not on the internet', mayHaveArrived: false },
        address,
      )
    }
  }
  assert.equal(calls, 0)
})

test('a name server that changes its mind is believed at no time', async (t) => {
  let calls = 0
  const port = await listening(
    t,
    createSocketServer((socket) => {
      calls++
      socket.destroy()
    }),
  )
  let asked = 0
  // Allowed together with forbidden, then forbidden alone, thousands of times.
  const resolve = async () => (asked++ % 2 === 0 ? ['127.0.0.1', '169.254.169.254'] : ['0.0.0.0'])
  const sender = requestSender({ mode: 'sandbox', resolve })
  for (let tries = 0; tries < 10_000; tries++) {
    const outcome = await post(`http://shop.example:${port}/`, sender)
    assert.equal(outcome.kind, 'failed')
  }
  assert.deepEqual([calls, asked], [0, 10_000])
})

test('an unknown host is told as such, and an address that is not allowed is not looked up', async () => {
  const unknown = requestSender({ mode: 'live', resolve: async () => [] })
  assert.deepEqual(await post('https://shop.example/', unknown), {
    kind: 'failed',
    because: 'The host name is not known',
    mayHaveArrived: false,
  })
  const strict = requestSender({ mode: 'live', resolve: () => assert.fail('nobody is asked') })
  assert.deepEqual(await post('http://shop.example/', strict), {
    kind: 'failed',
    because: 'The address must start with https://',
    mayHaveArrived: false,
  })
})
