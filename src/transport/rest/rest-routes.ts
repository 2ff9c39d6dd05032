import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { ok, refuse } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'
import { readStrictJson } from '#kernel/strict-json.ts'
import { type Answer, refusedBeforeCall } from '#transport/answer.ts'
import { bodyBytesMax, type CallOperation } from '#transport/call-operation.ts'
import { isCallerWaiting, logIfUnheard } from '#transport/caller-waiting.ts'
import { keyMembersOf, readIdempotencyKey, takesKeyMember } from '#transport/idempotency-key.ts'
import { noteCaller, noteOutcome } from '#transport/outcome-note.ts'
import { isPlainUtf8 } from '#transport/plain-utf8.ts'
import { httpStatusOf, type StatusStyle } from '#transport/rest/http-status.ts'
import { readSessionKey, sessionKeyName } from '#transport/session-key.ts'

export const restPrefixes = ['/APIcardProcService/v1.0.0/', '/APIcardProcREST/v1.0.0/'] as const

export type RestNeeds = {
  readonly operations: readonly Operation<Context>[]
  readonly callOperation: CallOperation
  readonly statusStyle: StatusStyle
  readonly context: Pick<Context, 'log'>
}

export function pathsOf({ path, literalPath }: Operation<Context>['contract']): readonly string[] {
  const usual = restPrefixes.map((prefix) => `${prefix}${path}`)
  return literalPath === undefined ? usual : [...usual, literalPath]
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
    for (const path of pathsOf(operation.contract)) {
      app.post(path, { bodyLimit: bodyBytesMax }, (request, reply) =>
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
  const answer = await answerTo(needs, { operation, request, reply })
  noteOutcome(request, answer.error)
  logIfUnheard(request, needs.context.log)
  const status = httpStatusOf(answer.error, needs.statusStyle)
  return send(reply, { status, notes: answer.notes, body: { [operation.contract.resultKey]: answer.result } })
}

function answerTo({ callOperation }: RestNeeds, exchange: Exchange): Answer | Promise<Answer> {
  const { operation, request } = exchange
  const read = readBody(request)
  if (!read.ok) return refusedBeforeCall(operation, read.refusal)
  const body = read.value
  const header = request.headers['idempotency-key']
  const key = readIdempotencyKey({ header, members: keysIn(operation, body) })
  if (!key.ok) return refusedBeforeCall(operation, key.refusal)
  return callOperation(operation, {
    body,
    sessionKey: sessionKeyOf(exchange, body),
    idempotencyKey: key.value,
    address: request.ip,
    requestId: request.id,
    isWaiting: () => isCallerWaiting(request),
    noteCaller: (caller) => noteCaller(request, caller),
  })
}

function keysIn({ contract }: Operation<Context>, body: unknown): readonly unknown[] {
  return typeof body === 'object' && body !== null && takesKeyMember(contract) ? keyMembersOf(body) : []
}

function sessionKeyOf({ operation, request }: Exchange, body: unknown): Secret | null {
  const header = request.headers[sessionKeyName.toLowerCase()]
  if (header !== undefined || operation.contract.literalPath === undefined) return readSessionKey(header)
  return typeof body === 'object' && body !== null && sessionKeyName in body
    ? readSessionKey(body[sessionKeyName])
    : null
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
