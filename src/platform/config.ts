import { resolve } from 'node:path'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'
import { messageSettings, problemsOfSenders } from '#platform/message-settings.ts'
import {
  anyText,
  folder,
  httpOrigin,
  networks,
  oneOf,
  postgresAddress,
  secretSetting,
  type Setting,
  setting,
  wholeNumber,
} from '#platform/setting.ts'

// Every setting of the gateway, in one place. docs/configuration.md is written from this table.
const settings = {
  mode: setting(
    'TILLGATE_MODE',
    'sandbox',
    '`sandbox` moves no money and seeds a demo account; `live` needs a real acquirer, which this version does not have yet.',
    oneOf('sandbox', 'live'),
  ),
  port: setting('PORT', '8080', 'The port to listen on; 0 takes a free one.', wholeNumber(0, 65_535)),
  host: setting('TILLGATE_HOST', '127.0.0.1', 'The address to listen on; `0.0.0.0` for all.', anyText),
  baseUrl: setting(
    'BASE_URL',
    '',
    'The address under which others reach the gateway, if it is not `http://127.0.0.1:<port>`. It has no path: a gateway needs a name of its own.',
    httpOrigin,
  ),
  dataFolder: setting('DATA_DIR', './data', 'Where the embedded PostgreSQL and `sandbox.json` live.', folder),
  keysFolder: setting(
    'KEYS_DIR',
    '',
    'Where the key ring lives, shared by all nodes of a database; `DATA_DIR/keys` when empty.',
    (text) => (text === '' ? '' : resolve(text)),
  ),
  // It may hold a password.
  databaseUrl: secretSetting(
    'DATABASE_URL',
    'A PostgreSQL 18 or newer of your own, in place of the embedded one: `postgresql://user:password@host/database`.',
    postgresAddress,
  ),
  httpStatus: setting(
    'TILLGATE_HTTP_STATUS',
    'family',
    '`family` answers 200 to a failed Authenticate and a bad session key, as clients of this API family expect; `strict` answers 401.',
    oneOf('family', 'strict'),
  ),
  logLevel: setting(
    'TILLGATE_LOG_LEVEL',
    'info',
    'How much is logged: `debug`, `info`, `warn`, `error` or `silent`.',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
  ),
  rateLimits: setting(
    'TILLGATE_RATE_LIMITS',
    'auto',
    'Rate limits `on` or `off`; `auto` is on in live mode and off in the sandbox.',
    oneOf('auto', 'on', 'off'),
  ),
  failedSignInsPerMinute: setting(
    'TILLGATE_FAILED_SIGN_INS_PER_MINUTE',
    '10',
    'Rate limit: failed calls of Authenticate from one address, or one /64 of IPv6.',
    wholeNumber(1, 1_000_000),
  ),
  moneyCallsPerSecond: setting(
    'TILLGATE_MONEY_CALLS_PER_SECOND',
    '2000',
    'Rate limit: calls of one account that move money or change something.',
    wholeNumber(1, 1_000_000),
  ),
  queriesPerSecond: setting(
    'TILLGATE_QUERIES_PER_SECOND',
    '20',
    'Rate limit: queries of one account.',
    wholeNumber(1, 1_000_000),
  ),
  callsInFlight: setting(
    'TILLGATE_CALLS_IN_FLIGHT',
    '2048',
    'Calls worked on at the same time; further ones wait for at most a second and are then turned away with 503. Voids never wait.',
    wholeNumber(1, 100_000),
  ),
  loopDelayMs: setting(
    'TILLGATE_LOOP_DELAY_MS',
    '200',
    'Above this delay of the event loop (99th percentile of a second, in two of three seconds) queries are turned away while other calls are under way, above twice of it all other calls but voids too.',
    wholeNumber(10, 60_000),
  ),
  poolSize: setting(
    'TILLGATE_POOL_SIZE',
    '8',
    'Connections to PostgreSQL for calls, at most a quarter of them at once for the searches of one account; tasks and notifications have a few of their own.',
    wholeNumber(2, 200),
  ),
  bankAddress: setting(
    'TILLGATE_BANK',
    '',
    'The socket of a simulated bank that runs as a process of its own; empty for the one in the gateway.',
    anyText,
  ),
  bankLog: setting(
    'TILLGATE_BANK_LOG',
    'postgres',
    'Where the simulated bank in the gateway keeps its log: `postgres`, or `memory`, which forgets it and is for benchmarks only.',
    oneOf('postgres', 'memory'),
  ),
  bankDelayMs: setting(
    'TILLGATE_BANK_DELAY_MS',
    '0',
    'How long the simulated bank in the gateway takes to answer.',
    wholeNumber(0, 60_000),
  ),
  achBankRouting: setting(
    'TILLGATE_ACH_BANK_ROUTING',
    '110000000',
    'Bank debits: routing number of the bank that takes our files.',
    (text) => (isRoutingNumber(text) ? text : { expected: 'a routing number of nine digits' }),
  ),
  achBankName: setting(
    'TILLGATE_ACH_BANK_NAME',
    'SANDBOX BANK',
    'Bank debits: the name of that bank.',
    anyText,
  ),
  achCompanyId: setting(
    'TILLGATE_ACH_COMPANY_ID',
    '1000000001',
    'Bank debits: the ten characters by which that bank knows you.',
    (text) => (/^[A-Z0-9]{10}$/.test(text) ? text : { expected: 'ten capital letters or digits' }),
  ),
  bankAccountDays: setting(
    'TILLGATE_BANK_ACCOUNT_DAYS',
    '180',
    'Bank debits: so many days after the last thing that happened to a debit the number of its account is erased. It can be returned for 60.',
    wholeNumber(60, 3_650),
  ),
  leaseSeconds: setting(
    'TILLGATE_LEASE_SECONDS',
    '30',
    'How long background work stays with a node that has died, before another node or its successor takes it.',
    wholeNumber(3, 600),
  ),
  patiencePercent: setting(
    'TILLGATE_PATIENCE_PERCENT',
    '100',
    'How long acquirers are waited for, in percent of the usual. Only crash tests change it.',
    wholeNumber(1, 1_000),
  ),
  trustedProxies: setting(
    'TILLGATE_TRUSTED_PROXIES',
    '',
    'Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed, separated by commas.',
    networks,
  ),
  ...messageSettings,
} as const

type ValueOf<S> = S extends Setting<infer T> ? Exclude<T, { readonly expected: string }> : never
export type Config = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> }

export type ConfigProblems = { readonly problems: readonly string[] }

// Reads the environment. All problems are told at once; an unknown TILLGATE_ name is one, because it is a
// typing error.
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
): Config | ConfigProblems {
  const problems = Object.keys(environment).flatMap(unknownName)
  const entries = Object.entries(settings).map(([key, { name, fallback, read, isSecret }]) => {
    const given = environment[name]?.trim()
    const value: unknown = read(given === undefined || given === '' ? fallback : given)
    const shown = isSecret ? 'not right' : JSON.stringify(given)
    if (isExpectation(value)) problems.push(`${name} is ${shown}; it must be ${value.expected}`)
    return [key, value]
  })
  if (problems.length > 0) return { problems }
  const config = Object.fromEntries(entries) as Config
  const missing = problemsOfSenders(config)
  if (missing.length > 0) return { problems: missing }
  return {
    ...config,
    keysFolder: config.keysFolder === '' ? resolve(config.dataFolder, 'keys') : config.keysFolder,
  }
}

function unknownName(name: string): readonly string[] {
  const known = Object.values(settings).map((one) => one.name)
  if (!name.startsWith('TILLGATE_') || known.some((one) => one === name)) return []
  const close = known.find((one) => one.startsWith(name.slice(0, 13)))
  return [`${name} is no setting of Tillgate${close === undefined ? '' : ` (did you mean ${close}?)`}`]
}

function isExpectation(value: unknown): value is { readonly expected: string } {
  return typeof value === 'object' && value !== null && 'expected' in value
}

export function describeSettings(): readonly { name: string; fallback: string; meaning: string }[] {
  return Object.values(settings).map(({ name, fallback, meaning }) => ({ name, fallback, meaning }))
}
