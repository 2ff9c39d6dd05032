import { Agent, request as httpRequest } from 'node:http'
import autocannon from 'autocannon'
import { endWithParent, tellParent } from './child.ts'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { quantile } from './statistics.ts'

// The load process: sends what it is asked to send, and tells how it was answered.

const Flood = Type.Object({
  kind: Type.Literal('flood'),
  url: Type.String(),
  body: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  connections: Type.Integer(),
  amount: Type.Integer(),
  mark: Type.String(),
})
const Series = Type.Object({
  kind: Type.Literal('series'),
  url: Type.String(),
  bodies: Type.Array(Type.String()),
  headers: Type.Record(Type.String(), Type.String()),
  mark: Type.String(),
})
const Order = Type.Union([Flood, Series])
type Flood = Type.Static<typeof Flood>
type Series = Type.Static<typeof Series>

const answerTimeoutSeconds = 10
const headersSent = { 'content-type': 'application/json', accept: 'application/json' }

// Many connections, each with one request under way.
async function flood({ url, body, headers, connections, amount, mark }: Flood) {
  const ms: number[] = []
  let marked = 0
  let endedAt = 0
  const beganAt = performance.now()
  const { errors, timeouts } = await autocannon({
    url,
    method: 'POST',
    headers: { ...headersSent, ...headers },
    body,
    connections,
    amount,
    timeout: answerTimeoutSeconds,
    sampleInt: 100,
    setupClient: (client) => {
      client.on('response', (_, __, took) => {
        ms.push(took)
        endedAt = performance.now()
      })
    },
    verifyBody: (answer) => {
      const isMarked = answer.includes(mark)
      if (isMarked) marked += 1
      return isMarked
    },
  })
  const seconds = (endedAt - beganAt) / 1_000
  const [p50Ms, p99Ms] = [quantile(ms, 0.5), quantile(ms, 0.99)]
  return { answers: ms.length, marked, errors: errors + timeouts, seconds, p50Ms, p99Ms }
}

// One connection, one request after the other, each timed from the moment it is written to its last byte.
async function series({ url, bodies, headers, mark }: Series) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ms: number[] = []
  let marked = 0
  try {
    for (const body of bodies) {
      const began = performance.now()
      const answer = await post(agent, { url, body, headers })
      ms.push(performance.now() - began)
      if (answer.includes(mark)) marked += 1
    }
  } finally {
    agent.destroy()
  }
  return { ms, marked }
}

type Posted = Pick<Flood, 'url' | 'body' | 'headers'>

function post(agent: Agent, { url, body, headers }: Posted): Promise<string> {
  const all = { ...headersSent, ...headers, 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent, method: 'POST', headers: all }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => (text += String(part)))
      answer.on('end', () => resolve(text))
      answer.on('error', reject)
    })
    sent.setTimeout(answerTimeoutSeconds * 1_000, () => sent.destroy(new Error('no answer in time')))
    sent.on('error', reject)
    sent.end(body)
  })
}

async function obey(message: unknown): Promise<object> {
  try {
    const order = Parse(Order, message)
    return order.kind === 'flood' ? await flood(order) : await series(order)
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

endWithParent()
process.on('message', (message) => {
  void obey(message).then(tellParent)
})
