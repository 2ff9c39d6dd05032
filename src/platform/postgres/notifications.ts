import pg from 'pg'
import { clientSettings, type Connection, connectionSettings } from '#platform/postgres/connection.ts'
import { openSession } from '#platform/postgres/session.ts'

const channels = ['tillgate_sessions', 'tillgate_merchants', 'tillgate_tasks', 'tillgate_clocks'] as const
export type Channel = (typeof channels)[number]
type Hear = (payload: string) => void

export type Notifications = {
  on(channel: Channel, hear: Hear): void
  // Something may have been missed, so nothing that is remembered can be trusted.
  onGap(hear: () => void): void
  close(): Promise<void>
}

const reconnectDelayMs = 1_000

// One connection of its own that listens. When it breaks, everybody is told of the gap, once at once and once
// again when the line is back, because what was said in between is lost.
export async function listen(
  connection: Connection,
  onError: (error: Error) => void,
): Promise<Notifications> {
  const listener = new Listener(connection, onError)
  try {
    await listener.connect()
    return listener
  } catch (error) {
    // Nobody else could: a line that never came about must not be looked for behind everybody's back.
    await listener.close()
    throw error
  }
}

class Listener implements Notifications {
  readonly #connection: Connection
  readonly #onError: (error: Error) => void
  readonly #hearers = new Map<Channel, Hear[]>()
  readonly #gapHearers: (() => void)[] = []
  #client: pg.Client | null = null
  #retry: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(connection: Connection, onError: (error: Error) => void) {
    this.#connection = connection
    this.#onError = onError
  }

  on(channel: Channel, hear: Hear): void {
    this.#hearers.set(channel, [...(this.#hearers.get(channel) ?? []), hear])
  }

  onGap(hear: () => void): void {
    this.#gapHearers.push(hear)
  }

  async connect(): Promise<void> {
    const client = new pg.Client({ ...clientSettings(this.#connection, connectionSettings), pipeline: false })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('The database ended the connection that listens')))
    client.on('notification', ({ channel, payload }) => this.#tell(channel as Channel, payload ?? ''))
    this.#client = client
    await openSession(client)
    await client.query(channels.map((channel) => `listen ${channel}`).join('; '))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    // Whoever leaves need not hear that the line was broken already.
    await this.#client?.end().catch(() => undefined)
  }

  #lose(client: pg.Client, error: Error): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = null
    void client.end().catch(() => undefined)
    this.#onError(error)
    this.#tellGap()
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    this.#retry = setTimeout(() => {
      this.connect().then(
        () => this.#tellGap(),
        (error: unknown) => this.#client && this.#lose(this.#client, error as Error),
      )
    }, reconnectDelayMs)
  }

  #tellGap(): void {
    for (const hear of this.#gapHearers) hear()
  }

  #tell(channel: Channel, payload: string): void {
    for (const hear of this.#hearers.get(channel) ?? []) hear(payload)
  }
}
