import pg from 'pg'
import { assert } from '#kernel/assert.ts'
import { connectionSettings } from '#platform/postgres/connection.ts'
import { connecting } from '#platform/postgres/failures.ts'

export class SettingsLost extends Error {
  override readonly name = 'SettingsLost'

  constructor() {
    super(
      'What answers at DATABASE_URL keeps our settings from PostgreSQL, as a connection pooler does. ' +
        'Name PostgreSQL itself.',
    )
  }
}

export function openSession(
  client: pg.Client,
  withinMs: number = connectionSettings.connectionTimeoutMillis,
): Promise<void> {
  // One that breaks is noticed by the next question. Unheard, it would end the process.
  client.on('error', () => undefined)
  return connecting(async () => {
    await orHangUp(client, () => client.connect())
    await assureSettings(client, withinMs)
  })
}

// Every session is asked, and not only the first one: a pooler may take the place of the server while we
// run, and would let us go on without limits of time and without locks that are ours.
export function assureSettings(client: pg.ClientBase, withinMs: number): Promise<void> {
  return orHangUp(client, async () => {
    const asked = {
      text: `select current_setting('tillgate.session', true) as session`,
      query_timeout: withinMs,
    }
    const { rows } = await client.query<{ session: string | null }>(asked)
    if (rows[0]?.session !== 'on') throw new SettingsLost()
  })
}

// No goodbye: whoever does not answer it would keep a caller waiting.
async function orHangUp(client: pg.ClientBase, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    hangUp(client)
    throw error
  }
}

// Whatever waits on this connection is told at once that it is gone.
export function hangUp(client: pg.ClientBase): void {
  assert(client instanceof pg.Client, 'a pool hands out clients')
  client.connection.stream.destroy()
}
