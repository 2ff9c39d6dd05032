import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { ok, refuse } from '#kernel/result.ts'
import { readStrictJson } from '#kernel/strict-json.ts'
import { refusedBeforeCall } from '#transport/answer.ts'
import { bodyBytesMax, type CallOperation } from '#transport/call-operation.ts'
import { noteOutcome } from '#transport/outcome-note.ts'
import { isPlainUtf8 } from '#transport/plain-utf8.ts'
import { httpStatusOf, type StatusStyle } from '#transport/rest/http-status.ts'
import { readSessionKey, sessionKeyName } from '#transport/session-key.ts'

export const restPrefixes = ['/APIcardProcService/v1.0.0/', '/APIcardProcREST/v1.0.0/'] as const

export type RestNeeds = {
  readonly operations: readonly Operation<Context>[]
  readonly callOperation: CallOperation
  readonly statusStyle: StatusStyle
}

// One POST route for every operation under both prefixes, because clients of this API family use either.
export function registerRest(app: FastifyInstance, needs: RestNeeds): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: bodyBytesMax },
    (_, body, done) => done(null, body),
  )
  for (const operation of needs.operations) {
    for (const prefix of restPrefixes) {
      app.post(`${prefix}${operation.contract.path}`, { bodyLimit: bodyBytesMax }, (request, reply) =>
        serveCall(needs, { operation, request, reply }),
      )
    }
  }
}

type Exchange = {
  readonly operation: Operation<Context>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export async function serveCall(
  needs: RestNeeds,
  { operation, request, reply }: Exchange,
): Promise<FastifyReply> {
  const read = readBody(request)
  const answer = read.ok
    ? await needs.callOperation(operation, {
        body: read.value,
        sessionKey: readSessionKey(request.headers[sessionKeyName.toLowerCase()]),
        idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        address: request.ip,
        requestId: request.id,
      })
    : refusedBeforeCall(operation, read.refusal)
  noteOutcome(request, answer.error)
  const status = httpStatusOf(answer.error, needs.statusStyle)
  return send(reply, { status, notes: answer.notes, body: { [operation.contract.resultKey]: answer.result } })
}

type Sent = {
  readonly status: number
  readonly notes: Readonly<Record<string, string>>
  readonly body: object
}

export function send(reply: FastifyReply, { status, notes, body }: Sent): FastifyReply {
  return reply
    .code(status)
    .headers({ ...notes, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify(body))
}

function readIdempotencyKey(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readBody(request: FastifyRequest) {
  if (request.method === 'GET') return ok({})
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
  if (!isPlainUtf8(request.headers)) return refuse('wrong_encoding')
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return refuse('wrong_encoding')
  }
  const json = readStrictJson(text)
  return json.ok ? json : refuse('malformed_request', { problem: json.problem })
}
