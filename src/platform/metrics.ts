import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observeCall(call: { readonly operation: string; readonly outcome: string; readonly ms: number }): void
  render(): Promise<string>
  readonly contentType: string
}

export type DatabaseLook = {
  readonly countTasks: () => Promise<{
    readonly waiting: number
    readonly overdue: number
    readonly dead: number
  }>
  // Whether its disk has room for what is written.
  readonly hasRoom: () => Promise<boolean>
}

// Numbers that are asked for when somebody looks, by the value of their label.
export type GaugeSource = {
  readonly name: string
  readonly help: string
  readonly label: string
  readonly read: () => Promise<Readonly<Record<string, number>>>
}

const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function openMetrics(
  { countTasks, hasRoom }: DatabaseLook,
  gauges: readonly GaugeSource[] = [],
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const calls = new Histogram({
    name: 'tillgate_call_seconds',
    help: 'Duration of API calls by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: secondBuckets,
    registers: [registry],
  })
  const countOrNull = () => countTasks().catch(() => null)
  // Of the scrape that is under way: two gauges tell of it.
  let counted: ReturnType<typeof countOrNull> = Promise.resolve(null)
  registry.registerMetric(
    new Gauge({
      name: 'tillgate_database_up',
      help: '1 while the database answers and has room on its disk.',
      registers: [],
      async collect() {
        this.set((await counted) && (await hasRoom().catch(() => false)) ? 1 : 0)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'tillgate_tasks',
      help: 'Tasks by state. Dead ones need an operator.',
      labelNames: ['state'],
      registers: [],
      async collect() {
        const counts = await counted
        this.reset()
        for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count)
      },
    }),
  )
  for (const source of gauges) registry.registerMetric(gaugeFrom(source))
  return {
    observeCall: ({ operation, outcome, ms }) => calls.observe({ operation, outcome }, ms / 1_000),
    render: () => {
      counted = countOrNull()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

// While the database does not answer there is no number, which is not the same as 0.
function gaugeFrom({ name, help, label, read }: GaugeSource): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [],
    async collect() {
      const values = await read().catch(() => ({}))
      this.reset()
      for (const [value, count] of Object.entries(values)) this.set({ [label]: value }, count)
    },
  })
}
