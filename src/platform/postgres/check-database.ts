import { isReadOnly } from '#platform/postgres/check-database.store.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '#platform/postgres/database.ts'

export async function checkDatabase(db: Queryable): Promise<'ok' | 'read only' | 'unreachable'> {
  try {
    return (await Promise.race([isReadOnly(db), tooLate()])) ? 'read only' : 'ok'
  } catch {
    return 'unreachable'
  }
}

const patienceMs = 2_000

async function tooLate(): Promise<never> {
  await delay(patienceMs, undefined, { ref: false })
  throw new Error('The database did not answer in time')
}
