import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Child, startChild } from './child.ts'

// What is sent again and again, and the mark that a right answer carries.
export type Shot = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly mark: string
}

const Flooded = Type.Object({
  answers: Type.Integer(),
  // How many of the answers carry the mark.
  marked: Type.Integer(),
  errors: Type.Integer(),
  seconds: Type.Number(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
})
const Timed = Type.Object({ ms: Type.Array(Type.Number()), marked: Type.Integer() })

export type Flooded = Static<typeof Flooded>
export type Timed = Static<typeof Timed>

export type LoadGenerator = {
  // Starts it where it has not begun, and answers the id of its process.
  begin(): number
  flood(shot: Shot & { readonly body: string; readonly amount: number }): Promise<Flooded>
  series(shot: Shot & { readonly bodies: readonly string[] }): Promise<Timed>
  stop(): Promise<void>
}

const connections = 64
const patienceMs = 120_000

// In a process of its own, as a client would be, and the same one for yardstick and subject. It begins when
// it is first needed, because beside its start nothing can be measured.
export function loadGenerator(): LoadGenerator {
  let begun: Child | null = null
  let isStopped = false
  const child = (): Child => {
    if (isStopped) throw new Error('The benchmark is being cleaned up')
    return (begun ??= startChild(import.meta.resolve('./load.ts')))
  }
  const ask = async <T extends TSchema>(answer: T, order: object): Promise<Static<T>> => {
    const told = await child().ask(order, patienceMs)
    if (Check(answer, told)) return told
    throw new Error(`The load process failed: ${JSON.stringify(told)}`)
  }
  return {
    begin: () => child().processId,
    // Every connection must have something to send.
    flood: (shot) =>
      ask(Flooded, {
        headers: {},
        ...shot,
        kind: 'flood',
        connections,
        amount: Math.max(connections, shot.amount),
      }),
    series: (shot) => ask(Timed, { headers: {}, ...shot, kind: 'series' }),
    stop: async () => {
      isStopped = true
      await begun?.stop()
    },
  }
}
