import { readServerState } from '#platform/postgres/check-database.store.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '#platform/postgres/database.ts'

export type DatabaseCheck = {
  readonly state: 'ok' | 'read only' | 'unreachable'
  readonly serverTime: Temporal.Instant | null
}

export async function checkDatabase(db: Queryable): Promise<DatabaseCheck> {
  try {
    const server = await Promise.race([readServerState(db), tooLate()])
    return {
      state: server?.isReadOnly === false ? 'ok' : 'read only',
      serverTime: server?.serverTime ?? null,
    }
  } catch {
    return { state: 'unreachable', serverTime: null }
  }
}

const patienceMs = 2_000

async function tooLate(): Promise<never> {
  await delay(patienceMs, undefined, { ref: false })
  throw new Error('The database did not answer in time')
}
