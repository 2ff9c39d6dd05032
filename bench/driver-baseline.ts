import { readFileSync } from 'node:fs'
import pg from 'pg'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { endWithParent, tellParent } from './child.ts'
import { parseScript, type Step, type Variables } from './pgbench-script.ts'
import { runStep } from './run-step.ts'

// Runs a frozen script with the driver, where there is no pgbench.

const Order = Type.Object({
  host: Type.String(),
  user: Type.String(),
  database: Type.String(),
  script: Type.String(),
  clients: Type.Integer(),
  seconds: Type.Number(),
  consents: Type.Integer(),
})
type Order = Type.Static<typeof Order>

async function obey(message: unknown): Promise<object> {
  try {
    return await runScript(Parse(Order, message))
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

async function runScript({ script, clients, seconds, consents, ...place }: Order) {
  const steps = parseScript(readFileSync(script, 'utf8'))
  const all = Array.from({ length: clients }, () => new pg.Client(place))
  await Promise.all(all.map((client) => client.connect()))
  const beganAt = performance.now()
  const endAt = beganAt + seconds * 1_000
  const counts = await Promise.all(all.map((client) => repeat(client, { steps, consents, endAt })))
  const took = (performance.now() - beganAt) / 1_000
  await Promise.all(all.map((client) => client.end()))
  const transactions = counts.reduce((sum, count) => sum + count, 0)
  return { transactions, perSecond: transactions / took }
}

type Repeating = { readonly steps: readonly Step[]; readonly consents: number; readonly endAt: number }

async function repeat(client: pg.Client, { steps, consents, endAt }: Repeating): Promise<number> {
  let count = 0
  while (performance.now() < endAt) {
    const variables: Variables = new Map([['consents', BigInt(consents)]])
    for (const [at, step] of steps.entries()) await runStep(client, { at, step, variables })
    count += 1
  }
  return count
}

endWithParent()
process.on('message', (message) => {
  void obey(message).then(tellParent)
})
