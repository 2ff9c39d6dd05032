import cluster, { type Worker } from 'node:cluster'
import { totalmem } from 'node:os'
import { Complaint } from '#apps/complaint.ts'
import { holdPort } from '#apps/listening.ts'
import type { Installation } from '#apps/installation.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { type Gateway, startGateway } from '#apps/server.ts'
import { buildContext, sendingGuard } from '#apps/build-context.ts'
import { seedOrComplain } from '#apps/seed-or-complain.ts'
import { endInTime, firstSignal, stopAfter } from '#apps/shut-down.ts'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/log.ts'
import { keepOnCore, usableCores } from '#platform/processor-cores.ts'

type Word =
  | { readonly kind: 'serving'; readonly baseUrl: string }
  // The worker cannot start, and says why.
  | { readonly kind: 'refused'; readonly problem: string }

type Needs = { readonly config: Config; readonly log: Log }

const restartDelayMs = 1_000

// Workers are started where many calls come at once, so what those hold while they wait may get more room
// than in a gateway alone (bin/tillgate.cjs), which must not grow as much by one large call. Each takes up to
// three times this, and all of them a sixteenth of the machine's memory, but none less than a gateway alone.
// The last one of a flag counts, and V8 knows powers of two only.
function roomForCalls(workers: number): string {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1024 ** 2
  const power = Math.floor(Math.log2(megabytes / 16 / 3 / workers))
  return `--max-semi-space-size=${2 ** Math.min(7, Math.max(5, power))}`
}

// Several processes on one port and one database, to use more cores. This one owns the data folder and its
// PostgreSQL; the workers are gateways like any other node, each with tasks and recovery. One that dies is
// replaced. The installation is closed when they stop or cannot start.
export async function startWorkers(
  { config, log, installation }: Needs & { readonly installation: Installation },
  count: number,
): Promise<Gateway> {
  const opened = new AsyncDisposableStack()
  opened.defer(() => installation.close())
  try {
    const guard = sendingGuard({ config, log, installation })
    opened.defer(() => guard.stop())
    await guard.start()
    // Here and not in the workers, which would all do it at once.
    const context = await buildContext({ config, log, installation, sending: guard })
    const isSandbox = config.mode === 'sandbox'
    const sandbox = isSandbox ? await seedOrComplain(context, { config, installation }) : null
    const held = await holdPort(config)
    opened.defer(() => held.release())
    const crew = new Crew(log, { count, port: held.port })
    opened.defer(() => crew.stop())
    const baseUrl = await crew.start()
    const running = opened.move()
    const stop = () => running.disposeAsync()
    return { baseUrl, sandbox, isNew: installation.isNew, sending: guard, stop }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

class Crew {
  readonly #log: Log
  readonly #count: number
  // One for all, and for those that take the place of another, also where any will do.
  readonly #port: number
  readonly #ended = new Set<Promise<void>>()
  // One for each worker, where there are as many cores as workers: one that wanders from core to core finds
  // nothing of its own in the next one's caches. With more cores or fewer the system knows better.
  readonly #cores: readonly number[]
  readonly #settled = new Map<Worker, number>()
  #isStopping = false

  constructor(log: Log, { count, port }: { readonly count: number; readonly port: number }) {
    this.#log = log
    this.#count = count
    this.#port = port
    const cores = usableCores()
    this.#cores = cores.length === count ? cores : []
    cluster.setupPrimary({ execArgv: [...process.execArgv, roomForCalls(count)] })
  }

  // Answers once they serve calls. One that cannot is replaced when the others do. Where none can, it fails
  // as the first that failed.
  async start(): Promise<string> {
    const starts = Array.from({ length: this.#count }, () => this.#add())
    const first = Promise.race(starts)
    first.catch(() => undefined)
    const ends = await Promise.allSettled(starts)
    const serving = ends.find((end) => end.status === 'fulfilled')
    if (!serving) return first
    for (const end of ends) if (end.status === 'rejected') this.#addInPlaceOf(end.reason)
    return serving.value
  }

  // Answers once the worker serves calls.
  #add(): Promise<string> {
    const worker = cluster.fork({ PORT: this.#port })
    const end = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    this.#ended.add(end)
    let isServing = false
    return new Promise((resolve, reject) => {
      worker.on('message', (word: Word) => {
        if (word.kind === 'refused') return reject(new Complaint(word.problem))
        isServing = true
        void this.#settle(worker).then(() => resolve(word.baseUrl))
      })
      worker.once('exit', (code: number | null, signal: string | null) => {
        this.#ended.delete(end)
        this.#settled.delete(worker)
        if (isServing) this.#replace(worker)
        else reject(new Complaint(`A worker ended before it could serve (${signal ?? `status ${code}`}).`))
      })
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    await Promise.all(this.#ended)
  }

  // Once it serves: a thread may use the cores of the one that made it, and by then all are made.
  async #settle(worker: Worker): Promise<void> {
    const taken = new Set(this.#settled.values())
    const core = this.#cores.find((one) => !taken.has(one))
    const { pid } = worker.process
    if (core === undefined || pid === undefined) return
    this.#settled.set(worker, core)
    const { failure } = await keepOnCore(pid, core)
    if (failure && !worker.isDead())
      this.#log.info({ failure, workerPid: pid }, 'A worker stays on no core of its own')
  }

  #replace(dead: Worker): void {
    if (this.#isStopping) return
    this.#log.error({ workerPid: dead.process.pid }, 'A worker has died; another one takes its place')
    this.#addLater()
  }

  // Until one serves: the database may be away for a while.
  #addLater(): void {
    setTimeout(() => {
      if (this.#isStopping) return
      this.#add().catch((error: unknown) => this.#addInPlaceOf(error))
    }, restartDelayMs).unref()
  }

  #addInPlaceOf(failure: unknown): void {
    if (this.#isStopping) return
    this.#log.error({ err: failure }, 'A worker could not start; trying again')
    this.#addLater()
  }
}

// The same command in a worker: beside the process that owns the data folder. Ends with it.
export async function work({ config, log }: Needs): Promise<number> {
  // Node.js takes a process whose primary is gone for lost and ends it at once, with its calls unanswered.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const signal = Promise.race([
    firstSignal(),
    new Promise<NodeJS.Signals>((resolve) => process.once('disconnect', () => resolve('SIGTERM'))),
  ])
  return endInTime(signal, () => workUntil(signal, { config, log }), log)
}

async function workUntil(signal: Promise<NodeJS.Signals>, { config, log }: Needs): Promise<number> {
  const gateway = await startOrTell({ config, log })
  if (!gateway) return 1
  tell({ kind: 'serving', baseUrl: gateway.baseUrl })
  const status = await stopAfter(signal, () => gateway.stop(), log)
  leaveCrew()
  return status
}

async function startOrTell({ config, log }: Needs): Promise<Gateway | null> {
  try {
    const installation = await openInstallation({ config, role: 'command', log })
    return await startGateway({ config, log, installation, isWorker: true })
  } catch (error) {
    // Whatever it is: a worker that said nothing would be waited for, and lives as long as it is connected.
    if (!(error instanceof Complaint)) log.error({ err: error }, 'A worker could not start')
    tell({ kind: 'refused', problem: error instanceof Error ? error.message : String(error) })
    leaveCrew()
    return null
  }
}

// Whoever started it may be gone.
function leaveCrew(): void {
  if (process.connected) process.disconnect?.()
}

// Nobody hears it then, and the worker ends as it does whenever it has lost the one who started it.
function tell(word: Word): void {
  process.send?.(word, undefined, undefined, () => undefined)
}
