import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { SandboxOperations } from '#capabilities/operations.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { refuse } from '#kernel/result.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import type { Metrics } from '#platform/metrics.ts'
import { registerBankPages } from '#transport/browser/bank-routes.ts'
import { registerDocs } from '#transport/browser/docs-routes.ts'
import { registerFormBuilder } from '#transport/browser/form-builder-routes.ts'
import { registerForms } from '#transport/browser/form-routes.ts'
import type { OwnPlace } from '#transport/browser/own-samples.ts'
import { registerPolicyReports } from '#transport/browser/policy-reports.ts'
import { registerLinks } from '#transport/browser/link-routes.ts'
import { registerInbox } from '#transport/browser/inbox-routes.ts'
import { registerOutbox } from '#transport/browser/outbox-routes.ts'
import { registerSandbox } from '#transport/browser/sandbox-routes.ts'
import type { Admission } from '#transport/admission.ts'
import { refusedBeforeCall } from '#transport/answer.ts'
import { bodyBytesMax, type CallOperation } from '#transport/call-operation.ts'
import { type Readiness, registerHealth } from '#transport/health/health-routes.ts'
import { registerProvider } from '#transport/messages/provider-routes.ts'
import { serveInTurns } from '#transport/serve-in-turns.ts'
import { tidyForwardedFor } from '#transport/forwarded-for.ts'
import { keepOutcomes } from '#transport/outcome-note.ts'
import type { StatusStyle } from '#transport/rest/http-status.ts'
import { answerFrameworkError, registerRestErrors } from '#transport/rest/rest-errors.ts'
import { registerRest } from '#transport/rest/rest-routes.ts'
import { registerSoap } from '#transport/soap/soap-routes.ts'

export type HttpNeeds = {
  readonly context: Context
  readonly operations: readonly Operation<Context>[]
  readonly sandboxOperations: SandboxOperations<Context>
  readonly callOperation: CallOperation
  readonly admission: Admission
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
  readonly statusStyle: StatusStyle
  readonly trustedProxies: readonly string[]
  // Known only once the port is, if the operator left it open.
  readonly baseUrl: () => string
  readonly ownPlace: () => OwnPlace
}

const noHttp = refuse('malformed_request', { problem: 'it is no well-formed HTTP' }).refusal
const noHttpAnswer = JSON.stringify({ ErrorResult: refusedBeforeCall(null, noHttp).result })
const noHttpHead = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${noHttpAnswer.length}`,
  'Connection: close',
]

const probes: ReadonlySet<string> = new Set(['/live', '/ready', '/metrics'])

// Contracts read requests and write answers, so Fastify need not load the compilers of its own schemas, which
// are a hundred modules at every start.
const noSchemas = () => {
  throw new Error('A route has a schema of Fastify; requests are read by their contracts')
}

const newRequestId = (): string => `req_${randomLetters()}`

// Everything that is reached over HTTP, on one origin and one port.
export function httpServer(needs: HttpNeeds): FastifyInstance {
  const { log } = needs.context
  const app = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    // A call that has arrived is served, also where a stop begins before its turn is over.
    return503OnClosing: false,
    genReqId: newRequestId,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Node would answer a missing host by itself, without the envelope; refuseHost does it with one.
    http: { requireHostHeader: false },
    trustProxy: needs.trustedProxies.length > 0 ? [...needs.trustedProxies] : false,
    frameworkErrors: (error, request, reply) => {
      markAnswer(request, reply)
      answerFrameworkError(error, request, reply, log)
    },
    clientErrorHandler: (_, socket) => {
      if (!socket.writable) return
      // Destroyed as soon as it is told: a client that never hangs up must not hold a connection.
      const answer = [...noHttpHead, `Request-Id: ${newRequestId()}`, '', noHttpAnswer].join('\r\n')
      socket.end(answer, () => socket.destroy())
    },
  })
  serveInTurns(app.server)
  app.server.on('connection', keepAddress)
  // Expectations that we do not know are served as if they had not been made.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  markAnswers(app, needs)
  registerRestErrors(app, { operations: needs.operations, log })
  registerRest(app, needs)
  registerHealth(app, needs)
  registerDocs(app, needs)
  registerForms(app, needs)
  registerPolicyReports(app, needs)
  registerFormBuilder(app, needs)
  registerLinks(app, needs)
  registerSandbox(app, needs)
  registerInbox(app, needs)
  registerOutbox(app, needs)
  registerProvider(app, needs)
  registerBankPages(app, needs.context)
  registerSoap(app, needs)
  return app
}

// Asked while it is there, and kept by Node.js from then on: of a connection that has gone meanwhile the
// system no longer tells, and a call is served all the same.
function keepAddress(socket: Socket): void {
  void socket.remoteAddress
}

function markAnswers(app: FastifyInstance, { context }: HttpNeeds): void {
  keepOutcomes(app)
  app.addHook('onRequest', (request, reply, goOn) => {
    tidyForwardedFor(request.raw.headers)
    markAnswer(request, reply)
    reply.headers(transportSecurity(context.publicAddress.url))
    if (namesOneHost(request)) goOn()
    else void refuseHost(reply)
  })
  app.addHook('onResponse', (request, reply, goOn) => {
    const fields = {
      requestId: request.id,
      method: request.method,
      // The pattern, not the address: what people type into addresses does not belong into logs.
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      outcome: request.outcome,
      ...request.caller,
      address: request.ip,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    // Probes come every few seconds and would drown the calls.
    if (probes.has(fields.route)) context.log.debug(fields, 'answered')
    else context.log.info(fields, 'answered')
    goOn()
  })
}

const twoYears = 'max-age=63072000; includeSubDomains'

// Whoever came by https once comes by nothing else, whatever they asked for. Over plain HTTP it would mean
// nothing.
export function transportSecurity(publicUrl: string): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': twoYears } : {}
}

function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

// As RFC 9112 wants it: the first version of HTTP may name none, and nobody two, of which a proxy may have
// judged the other.
function namesOneHost({ raw: { httpVersion, rawHeaders } }: FastifyRequest): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts += 1
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
}

function isHost(name = ''): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}

function refuseHost(reply: FastifyReply): FastifyReply {
  return reply.code(400).type('application/json; charset=utf-8').send(noHttpAnswer)
}
