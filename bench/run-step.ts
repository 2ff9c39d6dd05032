import type pg from 'pg'
import { evaluate, type Step, type Variables } from './pgbench-script.ts'

type Stepping = {
  readonly at: number
  readonly step: Step
  readonly variables: Variables
}

// One step of a frozen script, as pgbench would take it: statements are prepared once for each connection.
export async function runStep(client: pg.Client | pg.Pool, { at, step, variables }: Stepping): Promise<void> {
  if (step.kind === 'set') {
    variables.set(step.name, evaluate(step.expression, variables, Math.random))
    return
  }
  const values = step.parameters.map((name) => String(variables.get(name)))
  const { rows } = await client.query<Record<string, string | number>>({
    name: `step_${at}`,
    text: step.text,
    values,
  })
  if (!step.keepsRow) return
  if (rows.length === 0) throw new Error('The limits of the consent do not allow it')
  for (const [name, value] of Object.entries(rows[0] ?? {})) variables.set(name, String(value))
}
