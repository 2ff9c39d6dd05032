import { sampleFigure } from './charge-figures.ts'
import { type ChargeSample, sampleGateway, takeQuietest } from './charge-sample.ts'
import type { Bench, Figure, Report, Scenario } from './scenario.ts'
import { openBooks, openStage, type Stage, startOn } from './stage.ts'

// How cost grows: with callers at the same time, and with transactions that are there already.

const connectionCounts = [1, 16, 64, 256, 1_024]
const transactionCounts = [10_000, 100_000, 1_000_000]
const growthConsents = 100_000
const fillSeconds = 5

type Step = { readonly what: string; readonly sample: ChargeSample }

async function run(bench: Bench): Promise<Report> {
  const stage = await openStage(bench)
  const byConnections = await overConnections(bench, stage)
  const byTransactions = await overTransactions(bench, stage)
  const steps = [...byConnections, ...byTransactions]
  return {
    figures: steps.map(({ what, sample }): Figure => sampleFigure(what, [sample])),
    verdicts: [],
    details: { byConnections, byTransactions },
  }
}

async function overConnections(bench: Bench, stage: Stage): Promise<readonly Step[]> {
  const { sampleSeconds: seconds } = bench.extent.charges
  const steps: Step[] = []
  for (const connections of connectionCounts) {
    const take = () =>
      sampleGateway({ ...stage, others: [stage.slow.processId] }, stage.prompt, { connections, seconds })
    steps.push({ what: `${connections} connections`, sample: await takeQuietest(bench, seconds, take) })
    bench.say(`${connections} connections: ${steps.at(-1)?.sample.perSecond.toFixed(0)}/s`)
  }
  return steps
}

// On a database of its own, which begins empty of transactions.
async function overTransactions(bench: Bench, stage: Stage): Promise<readonly Step[]> {
  const { cluster } = stage
  const { connections, sampleSeconds: seconds } = bench.extent.charges
  const books = await openBooks(bench, cluster, { name: 'growth', consents: growthConsents })
  const gateway = await startOn(bench, { cluster, books }, { delayMs: 0 })
  const load = stage.loadFor(books.seeded)
  const others = [stage.prompt.processId, stage.slow.processId]
  const steps: Step[] = []
  for (const count of transactionCounts) {
    while (books.told.approved < count) {
      books.told.add(await load.send({ port: gateway.port, connections, seconds: fillSeconds }))
    }
    const take = () => sampleGateway({ cluster, books, load, others }, gateway, { connections, seconds })
    const what = `${count} transactions, ${connections} connections`
    steps.push({ what, sample: await takeQuietest(bench, seconds, take) })
    bench.say(`${what}: ${steps.at(-1)?.sample.perSecond.toFixed(0)}/s`)
  }
  await gateway.stop()
  return steps
}

export const scalingScenario: Scenario = { name: 'scaling', extents: ['full'], run }
