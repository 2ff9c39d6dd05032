import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import type { Log } from '#platform/log.ts'
import { noteOutcome } from '#transport/outcome-note.ts'
import { httpStatusOf } from '#transport/rest/http-status.ts'
import { refusedBeforeCall } from '#transport/answer.ts'
import { bodyBytesMax } from '#transport/call-operation.ts'
import { pathsOf, send } from '#transport/rest/rest-routes.ts'

type Needs = { readonly operations: readonly Operation<Context>[]; readonly log: Log }
type KnownRoutes = ReadonlyMap<string, ReadonlySet<string>>

// Whatever goes wrong around a call, in the framework or before it, is answered with the envelope too.
export function registerRestErrors(app: FastifyInstance, needs: Needs): void {
  const routes = rememberRoutes(app)
  app.setNotFoundHandler((request, reply) => {
    const refusal = refuseUnknown(request, reply, routes)
    return answer(needs, { request, reply, refusal })
  })
  app.setErrorHandler((error, request, reply) => {
    // Fastify asks some methods for a content type before it finds that nothing is served by them.
    const isMethod = codeOf(error) === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    const refusal = isMethod ? refuseUnknown(request, reply, routes) : refusalFor(needs, error, request)
    return answer(needs, { request, reply, refusal })
  })
}

// Paths as they were registered. Asking Fastify instead would read a visitor's path as a pattern.
function rememberRoutes(app: FastifyInstance): KnownRoutes {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.getOrInsertComputed(url, () => new Set())
    for (const one of [method].flat()) if (one === 'GET' || one === 'POST') methods.add(one)
  })
  return routes
}

function refuseUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: KnownRoutes,
): Refusal<ErrorName> {
  const path = pathOf(request)
  const allowed = [...(routes.get(path) ?? [])]
  if (allowed.length === 0) {
    return refuse('unknown_path', { path: path.slice(0, pathShownMax), hint: hintFor(path) }).refusal
  }
  reply.header('allow', allowed.join(', '))
  return refuse('method_not_allowed', { method: request.method, allowed: allowed.join(' or ') }).refusal
}

// Errors that Fastify meets before it knows a route, such as an address that cannot be decoded.
export function answerFrameworkError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): void {
  const needs = { operations: [], log }
  void answer(needs, { request, reply, refusal: refusalFor(needs, error, request) })
}

type Exchange = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly refusal: Refusal<ErrorName>
}

function answer({ operations }: Needs, { request, reply, refusal }: Exchange): FastifyReply {
  const path = pathOf(request)
  const operation = operations.find(({ contract }) => pathsOf(contract).includes(path))
  noteOutcome(request, refusal.kind)
  const { result, notes } = refusedBeforeCall(operation ?? null, refusal)
  const key = operation?.contract.resultKey ?? 'ErrorResult'
  return send(reply, { status: httpStatusOf(refusal.kind, 'family'), notes, body: { [key]: result } })
}

function refusalFor({ log }: Needs, error: unknown, request: FastifyRequest): Refusal<ErrorName> {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse('too_large', { limit: bodyBytesMax }).refusal
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return refuse('wrong_content_type', { expected: 'application/json' }).refusal
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return refuse('malformed_request', { problem: 'the address cannot be decoded' }).refusal
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ERR_STREAM_PREMATURE_CLOSE':
    case 'ECONNRESET':
      return refuse('malformed_request', { problem: 'the body ends before its announced length' }).refusal
    default:
      return faultOf(log, error, request)
  }
}

function faultOf(log: Log, error: unknown, { id }: FastifyRequest): Refusal<ErrorName> {
  const faultId = randomLetters()
  log.error({ requestId: id, faultId, err: error }, 'A request failed by a fault of ours')
  return refuse('fault', { faultId }).refusal
}

const pathShownMax = 100
const versioned = /^\/(?:APIcardProcREST|APIcardProcService)\/(v[^/]*)/i

function hintFor(path: string): string {
  const version = versioned.exec(path)?.[1]
  return version !== undefined && version !== 'v1.0.0' ? '; the only version is v1.0.0' : ''
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? url
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
