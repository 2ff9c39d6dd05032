import { readServerState } from '#platform/postgres/check-database.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'

export type DatabaseCheck = {
  readonly state: 'ok' | 'read only' | 'unreachable'
  readonly serverTime: Temporal.Instant | null
}

export async function checkDatabase(db: Queryable): Promise<DatabaseCheck> {
  try {
    const server = await readServerState(db)
    return {
      state: server?.isReadOnly === false ? 'ok' : 'read only',
      serverTime: server?.serverTime ?? null,
    }
  } catch {
    return { state: 'unreachable', serverTime: null }
  }
}
