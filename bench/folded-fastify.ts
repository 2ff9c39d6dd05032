import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import pg from 'pg'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { endWithParent, tellParent } from './child.ts'
import { parseScript, type Variables } from './pgbench-script.ts'
import { runStep } from './run-step.ts'

// What one connection's latency is compared with: the folded script behind the same HTTP server, as somebody
// would write it by hand. It knows sessions, and nothing of keys, cards, events or followers.

const Order = Type.Object({
  host: Type.String(),
  user: Type.String(),
  database: Type.String(),
  path: Type.String(),
  sessionKeys: Type.Array(Type.String()),
  // What the gateway has answered once, so that both send as many bytes.
  answer: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
})
const Body = Type.Object({
  ConsentID: Type.Integer(),
  Amounts: Type.Object({ BaseAmt: Type.Number(), Surcharge: Type.Number(), TotalAmt: Type.Number() }),
})

// Without the draws of consent and amount, which the caller names.
const steps = parseScript(readFileSync(join(import.meta.dirname, 'baseline', 'folded.sql'), 'utf8')).filter(
  (step) => step.kind === 'sql' || (step.name !== 'c' && step.name !== 'amt'),
)

async function serve(message: unknown): Promise<object> {
  const { path, sessionKeys, answer, ...place } = Parse(Order, message)
  const sessions = new Set(sessionKeys.map((key) => hash('sha256', key)))
  const [[resultKey, result] = ['', {}]] = Object.entries(answer)
  const pool = new pg.Pool({ ...place, max: 16 })
  const app = fastify({ logger: false })
  app.post(path, { schema: { body: Body } }, async (request, reply) => {
    if (!sessions.has(hash('sha256', String(request.headers['sesskey'])))) return reply.code(401).send()
    const { ConsentID, Amounts } = Parse(Body, request.body)
    const id = await charge(pool, { c: ConsentID, amt: Math.round(Amounts.TotalAmt * 100) })
    return { [resultKey]: { ...result, TxID: Number(id), ApprovedAmounts: Amounts } }
  })
  return { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

async function charge(pool: pg.Pool, asked: { readonly c: number; readonly amt: number }): Promise<bigint> {
  const variables: Variables = new Map<string, bigint | string>([
    ['c', BigInt(asked.c)],
    ['amt', BigInt(asked.amt)],
  ])
  for (const [at, step] of steps.entries()) await runStep(pool, { at, step, variables })
  return BigInt(variables.get('id') ?? -1)
}

endWithParent()
process.on('message', (message) => {
  void serve(message).then(tellParent)
})
