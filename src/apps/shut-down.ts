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
  const overdue = setTimeout(() => {
    log.error({}, 'Could not stop in time; leaving now')
    process.exit(1)
  }, patienceMs)
  try {
    await stop()
    log.info({}, 'Stopped')
    return 0
  } catch (error) {
    log.error({ err: error }, 'Stopping failed')
    return 1
  } finally {
    clearTimeout(overdue)
  }
}

// Listens for good: a signal that comes again while stopping must not end the process half-way.
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve).on('SIGINT', resolve).on('SIGHUP', resolve)
  })
}
