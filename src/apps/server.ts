import { attemptGauges } from '#apps/attempt-gauges.ts'
import {
  buildContext,
  distrustAfterOutage,
  followMovedClocks,
  forgetWhatChanges,
  hasRateLimits,
  sendingGuard,
} from '#apps/build-context.ts'
import { listenOn } from '#apps/listening.ts'
import { messageGauges } from '#apps/message-gauges.ts'
import { listenToSenders } from '#apps/message-senders.ts'
import type { Installation } from '#apps/installation.ts'
import { seedOrComplain } from '#apps/seed-or-complain.ts'
import type { Context } from '#capabilities/context.ts'
import { operations, sandboxOperations } from '#capabilities/operations.ts'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import { refreshClocks } from '#engine/account-clock/refresh-clocks.operation.ts'
import { runRecovery } from '#engine/payments/run-recovery.operation.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import { messageTasks, outboundTasks, tasks } from '#capabilities/tasks.ts'
import type { Config } from '#platform/config.ts'
import { Lateness, watchEventLoop } from '#platform/event-loop.ts'
import type { Log } from '#platform/log.ts'
import { type GaugeSource, type Metrics, openMetrics } from '#platform/metrics.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import type { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { reasonOf } from '#platform/postgres/failures.ts'
import { listen } from '#platform/postgres/notifications.ts'
import { Outage } from '#platform/postgres/outage.ts'
import { checkDatabase } from '#platform/postgres/check-database.ts'
import { RateLimiter } from '#platform/rate-limiter.ts'
import { countTasks } from '#platform/tasks/task-queue.ts'
import { startTaskRunner, type TaskRunner, type TaskRunnerOptions } from '#platform/tasks/task-runner.ts'
import { Admission } from '#transport/admission.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { watchCalls } from '#transport/calls-under-way.ts'
import type { Readiness } from '#transport/health/health-routes.ts'
import { httpServer } from '#transport/http-server.ts'

type Starting = {
  readonly config: Config
  readonly log: Log
  readonly installation: Installation
  // One of several on the same port. What a node knows of its database the process writes down that started
  // them; they only judge by it.
  readonly isWorker?: boolean
}

export type Gateway = {
  readonly baseUrl: string
  readonly sandbox: Sandbox | null
  readonly isNew: boolean
  readonly sending: SendingGate
  stop(): Promise<void>
}

const taskConcurrency = 4
// Of calls that undo a payment, so that a rush of others never turns them away.
const vitalConnections = 2
// Receivers of webhooks that may hang at the same time without delaying another.
const outboundConcurrency = 64
// What they have not answered by then is asked again by another node.
const outboundStopMs = 1_000
// Texts and e-mails have one place each.
const messageConcurrency = 2
// What their senders have in hand may not be asked again, so it may take longer than that.
const messageStopMs = 10_000
const queueMsMax = 1_000
// A call that has not ended this long after the stop began is cut off, so that the rest can be stopped in
// order.
const callPatienceMs = 24_000
// And one that has not begun by then never will.
const callBeginMs = 1_000

// Starts a whole gateway in this process and answers once it serves calls. That the mode is possible, the
// caller has seen to. The installation is its own from then on: closed when it stops or cannot start.
export async function startGateway({
  config,
  log,
  installation,
  isWorker = false,
}: Starting): Promise<Gateway> {
  const opened = new AsyncDisposableStack()
  opened.defer(() => installation.close())
  try {
    const guard = sendingGuard({ config, log, installation }, { isKeeper: !isWorker })
    opened.defer(() => guard.stop())
    await guard.start()
    const context = await buildContext({ config, log, installation, sending: guard, isWorker })
    const onLost = (error: Error) =>
      log.warn({ error: reasonOf(error) }, 'The connection for notifications broke')
    const notifications = await listen(installation.connection, onLost)
    opened.defer(() => notifications.close())
    forgetWhatChanges(context, notifications)
    followMovedClocks(context, notifications)
    distrustAfterOutage(guard, notifications)
    await refreshClocks(context)
    const isSandbox = config.mode === 'sandbox'
    const sandbox = isSandbox ? await seedOrComplain(context, { config, installation }) : null
    // Tasks have connections of their own, so that a rush of calls never starves their leases.
    const watched = { onIdleError: onLost, onFull: () => installation.disk.noteFull() }
    const taskDb = openDatabase(installation.connection, { sizeMax: taskConcurrency, ...watched })
    opened.defer(() => taskDb.close())
    opened.defer(listenToSenders(context))
    const leaseMs = config.leaseSeconds * 1_000
    const outage = new Outage(log)
    const { clock } = installation
    const isHeld = () => clock.isFar
    const running = { db: taskDb, notifications, needs: context, log, outage, leaseMs, isHeld }
    const recovering = { ...context, db: installation.recoveryDb, outage: outage.beside() }
    const background = [...startRunners(running), runRecovery(recovering, guard)]
    const endBackground = async () => void (await Promise.all(background.map((one) => one.stop())))
    opened.defer(endBackground)
    const vitalDb = openDatabase(installation.connection, { sizeMax: vitalConnections, ...watched })
    opened.defer(() => vitalDb.close())
    const vital = { ...context, db: vitalDb }
    const baseUrl = await serve({ config, context, vital, installation, isWorker }, opened)
    const started = opened.move()
    const stop = async () => {
      // Nobody who calls needs it any more, so it ends while calls are answered and not after them.
      const backgroundEnded = endBackground()
      backgroundEnded.catch(() => undefined)
      await started.disposeAsync()
    }
    return { baseUrl, sandbox, isNew: installation.isNew, sending: guard, stop }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

type Running = Omit<TaskRunnerOptions<Context>, 'tasks' | 'concurrency' | 'stopWaitMsMax'>

function startRunners(running: Running): readonly TaskRunner[] {
  const beside = () => ({ ...running, outage: running.outage.beside() })
  return [
    startTaskRunner({ ...running, tasks, concurrency: taskConcurrency }),
    startTaskRunner({
      ...beside(),
      tasks: outboundTasks,
      concurrency: outboundConcurrency,
      stopWaitMsMax: outboundStopMs,
    }),
    startTaskRunner({
      ...beside(),
      tasks: messageTasks,
      concurrency: messageConcurrency,
      stopWaitMsMax: messageStopMs,
    }),
  ]
}

type Serving = {
  readonly config: Config
  readonly context: Awaited<ReturnType<typeof buildContext>>
  readonly vital: Awaited<ReturnType<typeof buildContext>>
  readonly installation: Pick<Installation, 'clock' | 'disk'>
  readonly isWorker: boolean
}

async function serve(
  { config, context, vital, installation: { clock, disk }, isWorker }: Serving,
  opened: AsyncDisposableStack,
): Promise<string> {
  const lateness = latenessOf({ config, context })
  opened.defer(watchEventLoop(lateness))
  const metrics = openMetrics(
    { countTasks: () => countTasks(context.db), hasRoom: () => disk.hasRoom(context.db) },
    [...attemptGauges(context), ...messageGauges(context), clockGauge(clock)],
  )
  const admission = new Admission({
    inFlightMax: config.callsInFlight,
    waitMsMax: queueMsMax,
    loopDelayMsMax: config.loopDelayMs,
    loopDelayMs: () => lateness.current,
  })
  let baseUrl = config.baseUrl
  let isStopping = false
  const app = httpServer({
    context,
    operations,
    sandboxOperations,
    callOperation: callerFor({ config, context, vital }, metrics, admission),
    admission,
    metrics,
    readiness: async () => readinessOf({ db: context.db, clock }, isStopping),
    statusStyle: config.httpStatus,
    trustedProxies: config.trustedProxies,
    baseUrl: () => baseUrl,
    ownPlace: () => ({ baseUrl, dataFolder: config.mode === 'sandbox' ? config.dataFolder : null }),
  })
  const calls = watchCalls(app.server)
  // An answer that goes out while stopping is the last one of its connection.
  app.addHook('onSend', (_, reply, payload, goOn) => {
    if (isStopping) reply.header('connection', 'close')
    goOn(null, payload)
  })
  opened.defer(async () => {
    isStopping = true
    const cutOff = setTimeout(() => app.server.closeAllConnections(), callPatienceMs)
    const tidying = setInterval(() => calls.closeOthers(), callBeginMs)
    await app.close()
    clearInterval(tidying)
    clearTimeout(cutOff)
  })
  const address = await listenOn(app, config, { isShared: isWorker })
  baseUrl = baseUrl === '' ? address : baseUrl
  context.publicAddress.url = baseUrl
  return baseUrl
}

function clockGauge(clock: DatabaseClock): GaugeSource {
  return {
    name: 'tillgate_clock_ahead_seconds',
    help: "How far the clock of this node is ahead of the database's; negative when it is behind.",
    label: 'of',
    read: async () => ({ database: clock.aheadMs / 1_000 }),
  }
}

// Whoever is turned away hears only that the gateway is busy.
function latenessOf({ config, context }: Pick<Serving, 'config' | 'context'>): Lateness {
  return new Lateness({
    msMax: config.loopDelayMs,
    onLate: (delayMs) =>
      context.log.warn(
        { delayMs },
        'The event loop is late: queries are turned away, payments at twice of it',
      ),
    onTime: () => context.log.info({}, 'The event loop is in time again'),
  })
}

function callerFor(
  { config, context, vital }: Pick<Serving, 'config' | 'context' | 'vital'>,
  metrics: Metrics,
  admission: Admission,
) {
  const limits = hasRateLimits(config)
    ? {
        queries: new RateLimiter(config.queriesPerSecond),
        changes: new RateLimiter(config.moneyCallsPerSecond),
      }
    : null
  const observe = ({ operation, error, ms }: { operation: string; error: string | null; ms: number }) =>
    metrics.observeCall({ operation, outcome: error ?? 'done', ms })
  return operationCaller({ context, vital, admission, limits, observe }, [
    ...operations,
    ...Object.values(sandboxOperations),
  ])
}

async function readinessOf(
  { db, clock }: Pick<Installation, 'db' | 'clock'>,
  isStopping: boolean,
): Promise<Readiness> {
  if (isStopping) return { isReady: false, database: 'stopping' }
  const database = await checkDatabase(db)
  if (clock.isFar) return { isReady: false, database, clock: clock.describe() }
  return { isReady: database === 'ok', database }
}
