import pg from 'pg'

// A connection of a test's own. It is closed however the work ends: one that stays open keeps the step from
// ending, and a failure would show as a hanging run.
export async function withClient<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connection })
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
