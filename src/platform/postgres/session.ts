import type pg from 'pg'
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

export function openSession(client: pg.Client): Promise<void> {
  return connecting(async () => {
    await client.connect()
    await assureSettings(client)
  })
}

// Every session is asked, and not only the first one: a pooler may take the place of the server while we
// run, and would let us go on without limits of time and without locks that are ours.
export async function assureSettings(client: pg.ClientBase): Promise<void> {
  const asked = {
    text: `select current_setting('tillgate.session', true) as session`,
    query_timeout: connectionSettings.connectionTimeoutMillis,
  }
  const { rows } = await client.query<{ session: string | null }>(asked)
  if (rows[0]?.session !== 'on') throw new SettingsLost()
}
