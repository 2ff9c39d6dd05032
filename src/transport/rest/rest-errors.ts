import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import type { Log } from '#platform/log.ts'
import { httpStatusOf } from '#transport/rest/http-status.ts'
import { bodyBytesMax, refusedBeforeCall } from '#transport/call-operation.ts'
import { restPrefixes, send } from '#transport/rest/rest-routes.ts'

type Needs = { readonly operations: readonly Operation<Context>[]; readonly log: Log }

// Whatever goes wrong around a call, in the framework or before it, is answered with the envelope too.
export function registerRestErrors(app: FastifyInstance, needs: Needs): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const allowed = (['GET', 'POST'] as const).filter((method) => app.hasRoute({ method, url: path }))
    if (allowed.length === 0) {
      return answer(needs, {
        request,
        reply,
        refusal: refuse('unknown_path', { path, hint: hintFor(path) }).refusal,
      })
    }
    reply.header('allow', allowed.join(', '))
    const details = { method: request.method, allowed: allowed.join(' or ') }
    return answer(needs, { request, reply, refusal: refuse('method_not_allowed', details).refusal })
  })
  app.setErrorHandler((error, request, reply) =>
    answer(needs, { request, reply, refusal: refusalFor(needs, error, request) }),
  )
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
  const operation = operations.find(({ contract }) =>
    restPrefixes.some((prefix) => path === `${prefix}${contract.path}`),
  )
  const { result, notes } = refusedBeforeCall(operation ?? null, refusal)
  const key = operation?.contract.resultKey ?? 'ErrorResult'
  return send(reply, { status: httpStatusOf(refusal.kind, 'family'), notes, body: { [key]: result } })
}

function refusalFor({ log }: Needs, error: unknown, request: FastifyRequest): Refusal<ErrorName> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
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

const versioned = /^\/(?:APIcardProcREST|APIcardProcService)\/(v[^/]*)\//i

function hintFor(path: string): string {
  const version = versioned.exec(path)?.[1]
  return version !== undefined && version !== 'v1.0.0' ? '; the only version is v1.0.0' : ''
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? url
}
