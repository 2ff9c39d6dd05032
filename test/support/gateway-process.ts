import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { startMarkOf } from '#platform/process-start.ts'
import { placeIn } from '#platform/postgres/embedded-files.ts'
import { findOrphans, isPostmasterOf, readPostmasterFile } from '#platform/postgres/postmaster.ts'

// Real gateways and commands, each a process of its own, started as an operator starts them. A home is the
// folder that some of them share; what was started in it is ended, by its process id, and removed with it.

type Environment = Readonly<Record<string, string>>
export type Ending = { readonly code: number | null; readonly signal: string | null }
export type CommandRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Credentials = { readonly acctCode: string; readonly token: string }

// The members of answers that the journeys look at.
export type Result = {
  readonly FunctionOk: boolean
  readonly ErrCode: number
  readonly ErrMsg: string
  readonly AuthSuccess?: boolean
  readonly SessKey?: string
  readonly NumRecords?: number
  readonly MerchantList?: readonly { readonly ID: number; readonly Descrip: string }[]
  readonly ThisUser?: {
    readonly APILocationID: number
    readonly Alias: string
    readonly IsLockedOut: boolean
  } | null
}
export type HttpAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
export type Answer = HttpAnswer & { readonly result: Result }

export type GatewayProcess = Credentials & {
  readonly baseUrl: string
  readonly dataFolder: string
  readonly processId: number
  readonly ended: Promise<Ending>
  // The server that the gateway runs in its data folder.
  postgresId(): number
  // What goes to the log, and beside it what people read.
  logged(): string
  output(): string
  // Whoever reads its output goes away.
  closeOutput(): void
  get(path: string): Promise<HttpAnswer>
  call(path: string, body: object, sessionKey?: string): Promise<Answer>
  authenticate(credentials?: Credentials): Promise<Answer>
  signIn(credentials?: Credentials): Promise<string>
  query(sessionKey: string): Promise<Result>
  kill(signal: NodeJS.Signals): Promise<Ending>
  stop(signal?: NodeJS.Signals): Promise<Ending & { readonly ms: number }>
}

export type StartingGateway = {
  readonly processId: number
  readonly ended: Promise<Ending>
  output(): string
  ready(): Promise<GatewayProcess>
}

export type Home = {
  readonly folder: string
  // DATA_DIR of everything that is started here without one of its own.
  readonly dataFolder: string
  launch(env?: Environment, options?: readonly string[]): StartingGateway
  start(env?: Environment, options?: readonly string[]): Promise<GatewayProcess>
  runCli(args: readonly string[], env?: Environment): Promise<CommandRun>
}

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'tillgate.cjs')
const startPatienceMs = 60_000
const stopPatienceMs = 40_000
const pollMs = 10

export async function until(
  condition: () => boolean | Promise<boolean>,
  { what, withinMs = 30_000 }: { readonly what: string; readonly withinMs?: number },
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${withinMs} ms: ${what}`)
    await delay(pollMs)
  }
}

export const isRunning = (processId: number): boolean => startMarkOf(processId) !== null

export function openHome(scope: { after(clean: () => Promise<void>): void }): Home {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillgate-test-')))
  const dataFolder = join(folder, 'data')
  // Sockets of killed servers lie in the temp folder, so the home brings its own.
  const temp = join(folder, 'tmp')
  mkdirSync(temp)
  const runs: Run[] = []
  const dataFolders = new Set<string>()
  scope.after(() => clearHome({ folder, runs, dataFolders }))
  const open = (args: readonly string[], env: Environment): Run => {
    const run = spawnTillgate(
      args,
      { ...baseEnvironment(), TMPDIR: temp, DATA_DIR: dataFolder, ...env },
      folder,
    )
    runs.push(run)
    dataFolders.add(run.dataFolder)
    return run
  }
  const launch = (env: Environment = {}, options: readonly string[] = []): StartingGateway => {
    // A busy machine makes every process stall at times, and a gateway that sheds load then is no fault.
    const run = open(['start', ...options], { PORT: '0', TILLGATE_LOOP_DELAY_MS: '60000', ...env })
    return { ...run, ready: () => readyGateway(run) }
  }
  return {
    folder,
    dataFolder,
    launch,
    start: (env, options) => launch(env, options).ready(),
    runCli: async (args, env = {}) => {
      const run = open(args, env)
      const { code } = await inTime(run.closed, `tillgate ${args.join(' ')}`, startPatienceMs)
      return { code, stdout: run.stdout(), stderr: run.stderr() }
    },
  }
}

// Settings of whoever runs the tests must not reach the gateways.
function baseEnvironment(): Environment {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/' }
}

type Run = ReturnType<typeof spawnTillgate>

// The shell is replaced by the gateway, which keeps its process id, and has the limit that a test gives it.
const spawningShell = 'ulimit -n "${OPEN_FILES_MAX:-$(ulimit -n)}" && unset OPEN_FILES_MAX && exec "$0" "$@"'

// The Node.js of the tests is new enough, so the launcher is replaced by the gateway and keeps its process
// id.
function spawnTillgate(args: readonly string[], env: Environment, cwd: string) {
  const child = spawn('sh', ['-c', spawningShell, process.execPath, launcher, ...args], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const ending = (): Ending => ({ code: child.exitCode, signal: child.signalCode })
  return {
    processId: child.pid ?? 0,
    dataFolder: env['DATA_DIR'] ?? '',
    ended: once(child, 'exit').then(ending),
    closed: once(child, 'close').then(ending),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    stdout: () => stdout,
    stderr: () => stderr,
    logged: () => stdout,
    output: () => stdout + stderr,
    closeOutput: () => child.stdout.destroy(),
  }
}

async function readyGateway(run: Run): Promise<GatewayProcess> {
  const isReady = (): boolean => /Tillgate is ready at[^]*Ctrl-C stops it\.\n/.test(run.stderr())
  await until(() => isReady() || run.hasEnded(), { what: 'the gateway is ready', withinMs: startPatienceMs })
  if (!isReady()) {
    await run.closed
    throw new Error(`The gateway ended instead of starting:\n${run.output()}`)
  }
  const { dataFolder, processId, ended, logged, output, closeOutput } = run
  const { baseUrl, acctCode, token } = readSandboxFile(dataFolder)
  const kill = async (signal: NodeJS.Signals): Promise<Ending> => {
    run.kill(signal)
    return inTime(ended, `the gateway ends after ${signal}`, stopPatienceMs)
  }
  return {
    baseUrl,
    acctCode,
    token,
    dataFolder,
    processId,
    ended,
    logged,
    output,
    closeOutput,
    kill,
    ...conversationWith(baseUrl, { acctCode, token }),
    postgresId: () => readPostmasterFile(join(dataFolder, 'postgres', 'cluster'))?.processId ?? 0,
    stop: async (signal = 'SIGTERM') => {
      const began = performance.now()
      const ending = await kill(signal)
      return { ...ending, ms: performance.now() - began }
    },
  }
}

type SandboxFile = Credentials & {
  readonly baseUrl: string
  readonly integratorKey: { readonly index: string; readonly key: string }
  readonly consents: Readonly<Record<string, number>>
}

export function readSandboxFile(dataFolder: string): SandboxFile {
  return JSON.parse(readFileSync(join(dataFolder, 'sandbox.json'), 'utf8'))
}

type Conversation = Pick<GatewayProcess, 'get' | 'call' | 'authenticate' | 'signIn' | 'query'>

function conversationWith(baseUrl: string, sandbox: Credentials): Conversation {
  const call: Conversation['call'] = async (path, body, sessionKey) => {
    const headers = sessionKey === undefined ? {} : { SessKey: sessionKey }
    const url = `${baseUrl}/APIcardProcREST/v1.0.0/${path}`
    const answer = await send(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const [result]: Result[] = Object.values(JSON.parse(answer.text))
    assert(result, 'every answer has an envelope')
    return { ...answer, result }
  }
  const authenticate: Conversation['authenticate'] = ({ acctCode, token } = sandbox) =>
    call('Authenticate', { AcctCode: acctCode, Token: token })
  return {
    call,
    authenticate,
    get: (path) => send(`${baseUrl}${path}`, { method: 'GET', headers: {}, body: '' }),
    signIn: async (credentials) => {
      const { result } = await authenticate(credentials)
      assert.equal(result.ErrMsg, '')
      return result.SessKey ?? ''
    },
    query: async (sessionKey) => (await call('Session/Query', {}, sessionKey)).result,
  }
}

type Sending = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

// A connection for each call: one that was kept open would tell of a gateway that is gone.
async function send(url: string, { method, headers, body }: Sending): Promise<HttpAnswer> {
  const all = { 'content-type': 'application/json', ...headers }
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, agent: false, headers: all }, (response) => {
      const { statusCode = 0, headers: answered } = response
      text(response).then(
        (read) => resolve({ status: statusCode, headers: answered, text: read }),
        (error: Error) => reject(error),
      )
    })
    sending.on('error', reject).end(body)
  })
}

async function inTime<T>(work: Promise<T>, what: string, withinMs: number): Promise<T> {
  const patience = new AbortController()
  const late = delay(withinMs, null, { signal: patience.signal }).then(
    () => Promise.reject(new Error(`Not within ${withinMs} ms: ${what}`)),
    () => work,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    patience.abort()
  }
}

type Remains = {
  readonly folder: string
  readonly runs: readonly Run[]
  readonly dataFolders: ReadonlySet<string>
}

async function clearHome({ folder, runs, dataFolders }: Remains): Promise<void> {
  for (const run of runs.filter((one) => !one.hasEnded())) run.kill('SIGKILL')
  await Promise.all(runs.map(({ closed }) => closed))
  for (const dataFolder of dataFolders) await endServerIn(join(dataFolder, 'postgres'))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

// SIGQUIT drops everything at once, but gives shared memory back, which a SIGKILL does not.
async function endServerIn(folder: string): Promise<void> {
  const { cluster, clusterName } = placeIn(folder)
  const found = readPostmasterFile(cluster)
  if (!found) return
  const isThere = (): boolean => isPostmasterOf(found.processId, cluster) && isRunning(found.processId)
  if (isThere()) process.kill(found.processId, 'SIGQUIT')
  await until(() => !isThere() && findOrphans(clusterName).length === 0, { what: 'PostgreSQL is gone' })
  if (found.socketFolder !== '') rmSync(found.socketFolder, { recursive: true, force: true })
}
