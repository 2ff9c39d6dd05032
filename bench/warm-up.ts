import { sampleGateway } from './charge-sample.ts'
import type { Gateway } from './gateway.ts'
import type { Bench } from './scenario.ts'
import { type Stage, workersFor } from './stage.ts'

const warmUps = new WeakMap<Stage, Promise<void>>()

// Before anything of a stage is measured that depends on it, whichever scenario comes first.
export function warmUpOnce(bench: Bench, stage: Stage): Promise<void> {
  return warmUps.getOrInsertComputed(stage, () => warmUp(bench, stage))
}

// After the last checkpoint, so that pages are written whole into the log before anything is measured. Then
// the tables are no longer empty, and plans are made for what is in them, as autovacuum sees to elsewhere.
async function warmUp(bench: Bench, stage: Stage): Promise<void> {
  const { warmUpSeconds } = bench.extent.charges
  const { prompt, slow, baseline } = stage
  await baseline.run('naive', { clients: 16, seconds: Math.ceil(warmUpSeconds * 0.1) })
  await baseline.run('folded', { clients: 16, seconds: Math.ceil(warmUpSeconds * 0.1) })
  await drive(bench, stage, { gateway: prompt, workers: workersFor(bench), secondsMax: warmUpSeconds * 0.6 })
  await drive(bench, stage, { gateway: slow, workers: bench.workers ?? 1, secondsMax: warmUpSeconds * 0.2 })
  for (const database of ['baseline', stage.books.name])
    await stage.cluster.withClient(database, (client) => client.query('analyze'))
}

// Of each process. By then V8 has compiled what charges need.
const chargesUntilWarm = 45_000

type Drive = { readonly gateway: Gateway; readonly workers: number; readonly secondsMax: number }

// No longer than it takes, and on a slow machine no longer than there is time for.
async function drive(bench: Bench, stage: Stage, { gateway, workers, secondsMax }: Drive): Promise<void> {
  const { connections } = bench.extent.charges
  const charge = (seconds: number) =>
    sampleGateway({ ...stage, others: [] }, gateway, { connections, seconds })
  const begun = await charge(secondsMax / 3)
  const missing = (workers * chargesUntilWarm - begun.charges) / begun.perSecond
  if (missing > 0) await charge(Math.min(missing, (secondsMax * 2) / 3))
}
