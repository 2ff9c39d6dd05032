import pg from 'pg'
import { clientSettings, type Connection, connectionSettings } from '#platform/postgres/connection.ts'
import { openSession } from '#platform/postgres/session.ts'

// Any number would do, as long as every node takes the same one.
export const presenceLock = 7_411_857

// Shows other nodes of the same database that this one lives: a connection of its own that holds a shared
// lock. The lock goes with the connection, so a dead node is never taken for a living one.
export class Presence {
  readonly #connection: Connection
  #client: pg.Client | null = null
  #isClosed = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async show(): Promise<void> {
    if (this.#client || this.#isClosed) return
    const client = new pg.Client({ ...clientSettings(this.#connection, connectionSettings), pipeline: false })
    const forget = () => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', forget).on('end', forget)
    this.#client = client
    try {
      await openSession(client)
      await client.query('select pg_advisory_lock_shared($1)', [presenceLock])
    } catch (error) {
      forget()
      await client.end().catch(() => undefined)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }
}
