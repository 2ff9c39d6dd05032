import { decoderFor } from '#platform/postgres/column-type.ts'
import { GatheringSocket } from '#platform/postgres/gathering-socket.ts'

export type Connection = {
  readonly connectionString?: string
  readonly host?: string
  readonly user?: string
  readonly database?: string
  // What whoever runs the server wants of every session, written as PostgreSQL writes it: -c name=value.
  readonly options?: string
}

// The driver follows an address rather than what it is told beside it, so that options in DATABASE_URL would
// take the place of ours. They are taken out, to stand before ours.
export function connectionTo(address: string): Connection {
  const queryAt = address.indexOf('?')
  const query = new URLSearchParams(queryAt < 0 ? '' : address.slice(queryAt + 1))
  const options = query.getAll('options').join(' ')
  if (options === '') return { connectionString: address }
  query.delete('options')
  return { connectionString: `${address.slice(0, queryAt)}?${query.toString()}`, options }
}

// All that a process opens beyond its pool: the connections of batches, recovery and deliveries, as
// open-on-server.ts counts them, and what tasks, notifications and the bank have.
export const connectionsBesidePool = 32

// What we count on in a session, whatever the server, its database, our user or DATABASE_URL says: how what
// is sent is written and read, that a transaction sees what others have committed, that a missing standby is
// told, and that nobody but ourselves sets limits of time.
const session = [
  // A name of our own, by which a session tells that it has heard all this.
  '-c tillgate.session=on',
  '-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c array_nulls=on -c standard_conforming_strings=on',
  '-c default_transaction_isolation=read\\ committed -c client_min_messages=warning',
  '-c transaction_timeout=0 -c idle_session_timeout=0',
].join(' ')

// A server on a busy machine may take seconds to let somebody in. Where nobody's call waits, we do.
export const patientConnectMs = 10_000

export const connectionSettings = {
  application_name: 'tillgate',
  options: session,
  types: { getTypeParser: decoderFor },
  pipeline: true,
  stream: () => new GatheringSocket(),
  keepAlive: true,
  // Asked for signs of life while nothing is said, so that no firewall forgets the connection.
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 1_000,
  lock_timeout: 2_000,
  statement_timeout: 5_000,
  // A server that hangs ends nothing by itself, so we stop waiting a little later. A patient statement has
  // its own limit.
  query_timeout: 6_000,
  idle_in_transaction_session_timeout: 10_000,
} as const

// For work that may take longer than any call. The driver does not pass on a limit of 0, which would leave
// that of the user.
export const patientSettings = {
  ...connectionSettings,
  options: `${session} -c statement_timeout=0 -c lock_timeout=0`,
  pipeline: false,
  connectionTimeoutMillis: patientConnectMs,
  lock_timeout: 0,
  statement_timeout: 0,
  query_timeout: 0,
} as const

export const batchMsMax = 15_000

// Row after row by its index, in the order of the batch and of the joins as written, whatever the statistics
// say: so everybody locks in the same order, and a table that was never analyzed is not read as a whole.
const batchOptions = [
  session,
  '-c plan_cache_mode=force_generic_plan',
  '-c join_collapse_limit=1 -c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off',
  // The recoverer counts on it: an id that was drawn so long ago is committed or gone.
  `-c transaction_timeout=${batchMsMax}ms`,
].join(' ')

export const batchSettings = {
  ...connectionSettings,
  options: batchOptions,
  // Kept while nobody calls: to connect and to prepare every statement anew would fall to the first caller.
  idleTimeoutMillis: 0,
  // Conversations pipeline by themselves, and end their silences.
  pipeline: false,
  query_timeout: 0,
} as const

// For a client or a pool of the driver. Of two options with one name the later one counts.
export function clientSettings<Settings extends { readonly options: string }>(
  { options = '', ...place }: Connection,
  settings: Settings,
): Settings & Omit<Connection, 'options'> {
  return { ...settings, ...place, options: `${options} ${settings.options}`.trim() }
}
