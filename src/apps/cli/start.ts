import cluster from 'node:cluster'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { greet, greeting } from '#apps/cli/greeting.ts'
import { Complaint } from '#apps/complaint.ts'
import { sandboxFileName } from '#apps/gateway-address.ts'
import { refuseTakenPort } from '#apps/listening.ts'
import { openInstallation } from '#apps/open-installation.ts'
import type { Gateway } from '#apps/server.ts'
import { endInTime, firstSignal, stopAfter } from '#apps/shut-down.ts'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import type { Config } from '#platform/config.ts'
import { isDataFolderHeld } from '#platform/data-folder.ts'
import { type Log, openLog } from '#platform/log.ts'
import { openFilesMax, openFilesNeeded } from '#platform/open-files.ts'

const workersMax = 64

// Old objects are collected when they have doubled. Left to itself V8 waits until there are four times
// as many, so ten thousand payments in one call made a gateway grow by a hundred megabytes of garbage.
const heapGrowth = '--heap-growing-percent=100'
// While calls pile up, as they do at first, their objects outlive the nursery. V8 then makes later ones
// of the same places old from birth, and those keep alive what they point to: one process in three
// stayed so for as long as it lived.
const allAreBornYoung = '--no-allocation-site-pretenuring'

// tillgate start [--workers N]: runs until it is told to stop.
export async function start(config: Config, args: readonly string[]): Promise<number> {
  const workers = readWorkers(args)
  setFlagsFromString(heapGrowth)
  setFlagsFromString(allAreBornYoung)
  const log = openLog(config.logLevel)
  refuseLive(config)
  if (cluster.isWorker) return (await import('#apps/workers.ts')).work({ config, log })
  // From here on, so that a stop that comes while it starts is carried out in order as well.
  const signal = firstSignal()
  return endInTime(signal, () => serveUntil(signal, { config, log, workers }), log)
}

type Serving = {
  readonly config: Config
  readonly log: Log
  readonly workers: number
}

async function serveUntil(
  signal: Promise<NodeJS.Signals>,
  { config, log, workers }: Serving,
): Promise<number> {
  // Before anything is made: a folder, keys or a database that a refused start left would look like an
  // installation. A gateway that has the folder already is named instead of its port, a moment later.
  if (!isDataFolderHeld(config.dataFolder)) await refuseTakenPort(config)
  log.info({ dataFolder: config.dataFolder }, 'Starting')
  warnOfFewFiles({ config, log })
  const gateway = await openGateway({ config, log }, workers)
  try {
    if (gateway.sandbox) await writeSandboxFile(config, gateway.baseUrl, gateway.sandbox)
  } catch (error) {
    await gateway.stop()
    throw new Complaint(`${join(config.dataFolder, sandboxFileName)} cannot be written.`, { cause: error })
  }
  log.info({ baseUrl: gateway.baseUrl }, 'Ready')
  greet(greeting(config, gateway))
  return stopAfter(signal, () => gateway.stop(), log)
}

// A gateway that can open no more sockets keeps its callers waiting outside, where none of them is refused.
function warnOfFewFiles({ config, log }: { readonly config: Config; readonly log: Log }): void {
  const [most, needed] = [openFilesMax(), openFilesNeeded(config)]
  if (most === null || most >= needed) return
  log.warn(
    { openFilesMax: most, openFilesNeeded: needed },
    'The limit of open files is too low for TILLGATE_CALLS_IN_FLIGHT: raise it with ulimit -n, or LimitNOFILE of the service',
  )
}

function refuseLive({ mode }: Config): void {
  if (mode !== 'live') return
  throw new Complaint(
    'Live mode needs a connector to a real acquirer; this version has none yet. Set TILLGATE_MODE=sandbox.',
  )
}

const readServerCode = () => Promise.all([import('#apps/server.ts'), import('#apps/workers.ts')])

// To read the code takes about a second on a first start, and this thread does nothing else meanwhile. So it
// is done while PostgreSQL is at work by itself, and before anything of an installation is changed.
async function openGateway({ config, log }: { config: Config; log: Log }, workers: number): Promise<Gateway> {
  const opening = { config, role: 'gateway', log, workers, meanwhile: readServerCode } as const
  const installation = await openInstallation(opening)
  const [{ startGateway }, { startWorkers }] = await readServerCode()
  const needs = { config, log, installation }
  return workers === 1 ? startGateway(needs) : startWorkers(needs, workers)
}

function readWorkers(args: readonly string[]): number {
  const [option, value = '', ...rest] = args.flatMap((word) => word.split('='))
  if (option === undefined) return 1
  const isCount = option === '--workers' && rest.length === 0 && /^[1-9][0-9]?$/.test(value)
  if (!isCount || Number(value) > workersMax)
    throw new Complaint(
      `tillgate start takes --workers and a number from 1 to ${workersMax}, and nothing else.`,
    )
  return Number(value)
}

// For people and scripts alike. Members are added as capabilities appear; none is ever renamed.
async function writeSandboxFile(
  config: Config,
  baseUrl: string,
  { accountCode, token, integratorKey, consents, schedules, orders, links }: Sandbox,
): Promise<void> {
  const path = join(config.dataFolder, sandboxFileName)
  const content = {
    baseUrl,
    acctCode: accountCode,
    token: token.reveal(),
    integratorKey: { index: integratorKey.index, key: integratorKey.key.reveal() },
    merchants: { plain: 1, surcharge: 2, international: 3 },
    consents,
    schedules,
    international: {
      tokenId: orders.token,
      transId: orders.finished,
      declinedTransId: orders.declined,
      refundedTransId: orders.refunded,
    },
    links: { open: `${baseUrl}${links.open}` },
  }
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
