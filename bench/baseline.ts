import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { startChild } from './child.ts'
import type { Cluster } from './cluster.ts'
import { findPgbench, type ScriptResult, runPgbench } from './pgbench.ts'
import type { Bench } from './scenario.ts'

// The frozen scripts of bench/baseline on the benchmark's cluster.
export type Baseline = {
  readonly runner: 'pgbench' | 'driver'
  // The process that sends the statements; null: it comes and goes, and is counted with the benchmark's own.
  readonly runnerId: number | null
  run(script: 'naive' | 'folded', extent: { clients: number; seconds: number }): Promise<ScriptResult>
}

const database = 'baseline'
const folder = join(import.meta.dirname, 'baseline')
const patienceMs = 120_000

export async function openBaseline(bench: Bench, cluster: Cluster, consents: number): Promise<Baseline> {
  await cluster.withClient('postgres', (client) => client.query(`create database ${database}`))
  await cluster.withClient(database, async (client) => {
    for (const text of statementsOf('schema.sql', consents)) await client.query(text)
    for (const text of statementsOf('seed.sql', consents)) await client.query(text)
  })
  const { host = '', user = '' } = cluster.connectionTo(database)
  const place = { host, user, database }
  const pgbench = bench.usesDriver ? null : findPgbench()
  if (pgbench) {
    return {
      runner: 'pgbench',
      runnerId: null,
      run: (script, extent) =>
        runPgbench(pgbench, place, { ...extent, consents, script: join(folder, `${script}.sql`) }),
    }
  }
  const child = startChild(import.meta.resolve('./driver-baseline.ts'))
  bench.keep(() => child.stop())
  return {
    runner: 'driver',
    runnerId: child.processId,
    run: async (script, extent) => {
      const order = { ...place, ...extent, consents, script: join(folder, `${script}.sql`) }
      return Parse(Result, await child.ask(order, patienceMs))
    },
  }
}

const Result = Type.Object({ transactions: Type.Integer(), perSecond: Type.Number() })

// One by one, because a vacuum wants no company. No text of these files holds a semicolon.
function statementsOf(name: string, consents: number): readonly string[] {
  const source = readFileSync(join(folder, name), 'utf8').replaceAll(':consents', String(consents))
  return source.split(';').filter((text) => text.trim() !== '')
}
