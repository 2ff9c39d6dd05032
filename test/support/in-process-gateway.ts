import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { type Gateway, startGateway } from '#apps/server.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { useTestDatabase } from './test-database.ts'

export type HttpAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

type Headers = Readonly<Record<string, string>>
export type HttpCall = {
  readonly method: string
  readonly path: string
  readonly headers?: Headers
  readonly body?: string | Buffer
}

export type TestGateway = {
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly accountCode: string
  readonly token: string
  // The account's first one.
  readonly integratorKey: { readonly index: string; readonly key: string }
  // Of the seeded international orders.
  readonly orders: Sandbox['orders']
  // Sends exactly this; nothing is added but what HTTP itself asks for.
  readonly send: (call: HttpCall) => Promise<HttpAnswer>
  // Sends JSON: an object is written, a text or bytes are sent as they are.
  readonly post: (path: string, body: object | string | Buffer, headers?: Headers) => Promise<HttpAnswer>
  readonly get: (path: string) => Promise<HttpAnswer>
  // Writes these bytes to a socket of its own and answers all that comes back until the other side hangs up.
  readonly exchange: (bytes: string | Buffer) => Promise<string>
  // Answers a fresh session key.
  readonly signIn: () => Promise<string>
}

export const authenticatePath = '/APIcardProcService/v1.0.0/Authenticate'

// A whole gateway in this process, on a database and in a folder of its own. Call it once, at the top of a
// describe. onLogLine: receives every line that it logs.
export function useGateway(
  settings: Readonly<Record<string, string>> = {},
  onLogLine?: (line: string) => void,
): () => TestGateway {
  const opened = new AsyncDisposableStack()
  // Hooks run in the order of their making: the gateway has to be gone before its database is.
  after(() => opened.disposeAsync())
  const database = useTestDatabase()
  let gateway: TestGateway | null = null
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillgate-gateway-'))
    opened.defer(() => rm(folder, { recursive: true, force: true }))
    const config = configFor({ DATABASE_URL: database().url, DATA_DIR: folder, ...settings })
    const log = onLogLine ? openLog('debug', onLogLine) : openLog('silent')
    const installation = await openInstallation({ config, role: 'gateway', log })
    const started = await startGateway({ config, log, installation })
    opened.defer(() => started.stop())
    const agent = new Agent({ keepAlive: true, maxSockets: 32 })
    opened.defer(() => agent.destroy())
    gateway = { ...clientOf(started, agent), databaseUrl: database().url }
  })
  return () => {
    if (!gateway) throw new Error('The gateway exists only while tests run')
    return gateway
  }
}

function configFor(settings: Readonly<Record<string, string>>): Config {
  // The tests share this process's event loop, so its delay says nothing about the gateway.
  const config = readConfig({ PORT: '0', TILLGATE_LOOP_DELAY_MS: '60000', ...settings })
  if ('problems' in config) throw new Error(config.problems.join('; '))
  return config
}

function clientOf({ baseUrl, sandbox }: Gateway, agent: Agent): Omit<TestGateway, 'databaseUrl'> {
  if (!sandbox) throw new Error('A sandbox has a demo account')
  const credentials = { accountCode: sandbox.accountCode, token: sandbox.token.reveal() }
  const { index, key } = sandbox.integratorKey
  const send = (call: HttpCall) => sendOver(agent, baseUrl, call)
  const post: TestGateway['post'] = (path, body, headers = {}) =>
    send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    })
  return {
    baseUrl,
    ...credentials,
    integratorKey: { index, key: key.reveal() },
    orders: sandbox.orders,
    send,
    post,
    get: (path) => send({ method: 'GET', path }),
    exchange: (bytes) => exchangeBytes(baseUrl, bytes),
    signIn: async () => {
      const body = { AcctCode: credentials.accountCode, Token: credentials.token }
      const answer: { AuthenticateResult: { SessKey: string } } = JSON.parse(
        (await post(authenticatePath, body)).text,
      )
      return answer.AuthenticateResult.SessKey
    },
  }
}

function sendOver(agent: Agent, baseUrl: string, { method, path, headers, body }: HttpCall) {
  const { hostname, port } = new URL(baseUrl)
  return new Promise<HttpAnswer>((resolve, reject) => {
    const options = { agent, hostname, port, method, path, headers: { ...headers } }
    const sending = request(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

function exchangeBytes(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
    socket.write(bytes)
  })
}
