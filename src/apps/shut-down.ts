import type { Log } from '#platform/log.ts'

// Within which a stop must be done, calls in flight included.
const patienceMs = 28_000

// Stops on SIGTERM, SIGINT (Ctrl-C) and SIGHUP: not ready, no new calls, calls in flight are answered,
// tasks handed over, PostgreSQL stopped. A second signal does not hurry it; kill -9 is safe at any time.
export async function stopOnSignals(stop: () => Promise<void>, log: Log): Promise<number> {
  const signal = await firstSignal()
  log.info({ signal }, 'Stopping')
  const overdue = new Promise<number>((resolve) => {
    setTimeout(() => {
      log.error({}, 'Could not stop in time; leaving now')
      resolve(1)
    }, patienceMs).unref()
  })
  return Promise.race([stopped(stop, log), overdue])
}

// Listens for good: a signal that comes again while stopping must not end the process half-way.
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve).on('SIGINT', resolve).on('SIGHUP', resolve)
  })
}

async function stopped(stop: () => Promise<void>, log: Log): Promise<number> {
  try {
    await stop()
    return 0
  } catch (error) {
    log.error({ err: error }, 'Stopping failed')
    return 1
  }
}
