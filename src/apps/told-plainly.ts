import { Complaint } from '#apps/complaint.ts'
import { KeysComplaint } from '#apps/open-keys.ts'
import { KeyRingRefused } from '#platform/crypto/key-file.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { MigrationRefused } from '#platform/postgres/migrate.ts'
import { SettingsLost } from '#platform/postgres/session.ts'

// What an operator can mend, in one sentence that names the setting. Everything else is left as it is.
export function toldPlainly(error: unknown): unknown {
  if (error instanceof KeyRingRefused) return new KeysComplaint(error.message)
  if (error instanceof MigrationRefused) return new Complaint(error.message)
  if (error instanceof DatabaseUnavailable) return new Complaint(whyUnavailable(error.cause))
  const told = error instanceof Error ? complaintOf(error) : null
  return told === null ? error : new Complaint(told)
}

const doesNotAnswer = 'PostgreSQL does not answer. Check DATABASE_URL and that the server is running.'

function whyUnavailable(cause: unknown): string {
  if (!(cause instanceof Error)) return doesNotAnswer
  if (cause instanceof SettingsLost) return cause.message
  const told = fileComplaint(cause) ?? complaintOf(cause)
  if (told !== null) return told
  const isSaidByServer = 'severity' in cause
  return isSaidByServer || /SSL/.test(cause.message)
    ? `PostgreSQL cannot be used: ${cause.message}. Check DATABASE_URL and the server.`
    : doesNotAnswer
}

function fileComplaint(cause: Error): string | null {
  const isOfFile = 'syscall' in cause && cause.syscall === 'open' && 'path' in cause
  return isOfFile ? `A file that DATABASE_URL names cannot be read: ${String(cause.path)}.` : null
}

function complaintOf(cause: Error): string | null {
  if (isOfCode(cause)) return null
  const code = 'code' in cause ? String(cause.code) : ''
  const isOfFolder = 'syscall' in cause && cause.syscall === 'mkdir'
  if (isOfFolder && code === 'ENOENT') return 'DATA_DIR lies where no folder can be made.'
  if (certificateCodes.test(code))
    return `The certificate of PostgreSQL is refused: ${cause.message}. Check sslrootcert in DATABASE_URL.`
  return complaints[code]?.(cause.message) ?? null
}

// A file of the program itself is not there, or may not be read: no setting mends that.
function isOfCode(cause: Error): boolean {
  return 'path' in cause && /\.(?:ts|[cm]?js)$/.test(String(cause.path))
}

const certificateCodes = /CERT|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/
const userRefused = (message: string): string =>
  `PostgreSQL refuses the user or the password of DATABASE_URL: ${message}.`
const settingRefused = (message: string): string =>
  `PostgreSQL refuses a setting of our sessions: ${message}. ` +
  'It must be version 18 or newer, and the options in DATABASE_URL right.'

const complaints: Readonly<Record<string, (message: string) => string>> = {
  ECONNREFUSED: () => doesNotAnswer,
  ECONNRESET: () => doesNotAnswer,
  ENOTFOUND: () => doesNotAnswer,
  EAI_AGAIN: () => doesNotAnswer,
  ETIMEDOUT: () => doesNotAnswer,
  ENOENT: () => doesNotAnswer,
  ERR_INVALID_URL: () => 'DATABASE_URL is no address such as postgresql://user:password@host/database.',
  '08P01': (message) =>
    `What answers at DATABASE_URL is no PostgreSQL: ${message}. Name the server itself, no connection pooler.`,
  '22023': settingRefused,
  '25006': () =>
    'PostgreSQL may only be read: it is a standby, or default_transaction_read_only is on. ' +
    'Set DATABASE_URL to the server that is written to.',
  '28P01': userRefused,
  '28000': userRefused,
  '3D000': () => 'The database that DATABASE_URL names does not exist. Create it first.',
  '3F000': () =>
    'The search_path of the user of DATABASE_URL names no schema that is there. Create the schema, or set another.',
  '42501': (message) =>
    `The user of DATABASE_URL may not do what is needed there, such as making tables and schemas: ${message}.`,
  '42704': settingRefused,
  '53100': () => 'The disk of PostgreSQL is full.',
  '53300': (message) =>
    `PostgreSQL has too few connections: ${message}. ` +
    'Each gateway and each of its workers needs TILLGATE_POOL_SIZE and up to 32 more.',
  '57P03': (message) => `PostgreSQL is not ready: ${message}. Start again when it is.`,
  EEXIST: () => 'DATA_DIR is a file. Set it to a folder.',
  ENOTDIR: () => 'DATA_DIR lies below a file. Set it to a folder.',
  EACCES: () => 'DATA_DIR or KEYS_DIR may not be used by this user.',
  ENOSPC: () => 'The disk is full.',
}
