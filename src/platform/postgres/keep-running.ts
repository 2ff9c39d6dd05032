import type { EmbeddedServer } from '#platform/postgres/embedded-server.ts'
import type { Log } from '#platform/log.ts'
import { startMarkOf } from '#platform/process-start.ts'

const lookEveryMs = 500

// Starts a server again that has died under a running gateway. Its socket is where it was, so connections
// that are opened afterwards find it; calls in between are answered as busy.
export function keepRunning(
  first: EmbeddedServer,
  { start, log }: { readonly start: () => Promise<EmbeddedServer>; readonly log: Log },
): Pick<EmbeddedServer, 'stop'> {
  let server = first
  let mark = startMarkOf(first.processId)
  let looking: Promise<void> | null = null

  let isBlind = false

  // A process without a free file descriptor cannot see the server. It looks again half a second later.
  const hasDied = (): boolean => {
    try {
      const isSame = mark !== null && startMarkOf(server.processId) === mark
      isBlind = false
      return !isSame
    } catch (error) {
      if (!isBlind) log.warn({ err: error }, 'Cannot see whether the database server runs')
      isBlind = true
      return false
    }
  }
  const look = async (): Promise<void> => {
    if (!hasDied()) return
    log.warn({}, 'The database server has died; starting it again')
    try {
      server = await start()
      mark = startMarkOf(server.processId)
      log.info({}, 'The database server runs again')
    } catch (error) {
      log.error({ err: error }, 'The database server could not be started again')
    }
  }
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null
    })
  }, lookEveryMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await looking
      await server.stop()
    },
  }
}
