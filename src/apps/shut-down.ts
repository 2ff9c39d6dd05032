import type { Log } from '#platform/log.ts'

// Within which a stop must be done, calls in flight included.
const patienceMs = 28_000

// Stops on SIGTERM, SIGINT (Ctrl-C) or SIGHUP: not ready, no new calls, calls in flight are answered,
// tasks handed over, PostgreSQL stopped. A second signal does not hurry it; kill -9 is safe at any time.
export async function stopAfter(
  signal: Promise<NodeJS.Signals>,
  stop: () => Promise<void>,
  log: Log,
): Promise<number> {
  log.info({ signal: await signal }, 'Stopping')
  try {
    await stop()
    log.info({}, 'Stopped')
    return 0
  } catch (error) {
    log.error({ err: error }, 'Stopping failed')
    return 1
  }
}

// Does all that a process is there for, and leaves when that has not ended in time after the signal: a start
// that waits for something that never comes has nothing yet that could be stopped.
export async function endInTime(
  signal: Promise<NodeJS.Signals>,
  work: () => Promise<number>,
  log: Log,
): Promise<number> {
  let overdue: NodeJS.Timeout | undefined
  let hasEnded = false
  const leave = () => {
    log.error({}, 'Could not stop in time; leaving now')
    process.exit(1)
  }
  const count = (): void => {
    if (!hasEnded) overdue = setTimeout(leave, patienceMs)
  }
  void signal.then(count)
  try {
    return await work()
  } finally {
    hasEnded = true
    clearTimeout(overdue)
  }
}

// Listens for good: a signal that comes again while stopping must not end the process half-way.
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve).on('SIGINT', resolve).on('SIGHUP', resolve)
  })
}
