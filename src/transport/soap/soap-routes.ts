import { isUtf8 } from 'node:buffer'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { type Answer, refusedBeforeCall } from '#transport/answer.ts'
import { bodyBytesMax, type CallOperation } from '#transport/call-operation.ts'
import { isCallerWaiting, logIfUnheard } from '#transport/caller-waiting.ts'
import { readIdempotencyKey } from '#transport/idempotency-key.ts'
import { noteCaller, noteOutcome } from '#transport/outcome-note.ts'
import { isPlainUtf8 } from '#transport/plain-utf8.ts'
import { writeResult } from '#transport/soap/body-to-xml.ts'
import { type FaultCode, readEnvelope, type SoapRequest } from '#transport/soap/read-envelope.ts'
import type { XmlElement } from '#transport/soap/read-xml.ts'
import {
  servicePath,
  type SoapOperation,
  soapOperationOf,
  targetNamespace,
} from '#transport/soap/soap-operation.ts'
import { contentTypes, type SoapVersion, versionOfContentType } from '#transport/soap/soap-version.ts'
import { serviceAddress, writeWsdl } from '#transport/soap/wsdl.ts'
import { writeFault } from '#transport/soap/write-fault.ts'
import { isOurs, readParameters } from '#transport/soap/xml-to-body.ts'

type SoapNeeds = {
  readonly operations: readonly Operation<Context>[]
  readonly callOperation: CallOperation
  // Where the service is reached from outside, known once the port is; the WSDL names it.
  readonly baseUrl: () => string
  readonly context: Pick<Context, 'log'>
}

type Served = { readonly operation: Operation<Context>; readonly soap: SoapOperation }
type Problem = { readonly code: FaultCode; readonly reason: string; readonly version?: SoapVersion }

const mediaTypes = ['text/xml', 'application/soap+xml', 'application/xml']
const wrongContentType = `The content type must be ${mediaTypes.join(' or ')}`
const reasons = new Map([
  [413, `The body is larger than ${bodyBytesMax} bytes`],
  [415, wrongContentType],
])
// The client went away before its body was complete.
const brokenOff = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])
const nameLengthMax = 100
const methodsAllowed = ['GET', 'HEAD', 'POST']

export function registerSoap(app: FastifyInstance, needs: SoapNeeds): void {
  const contracts = needs.operations.map((operation) => operation.contract)
  const answerCall = callAnswerer(needs)
  let wsdl: string | null = null

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(mediaTypes, { parseAs: 'buffer' }, async (_: unknown, body: unknown) => body)
    scope.setErrorHandler(errorAnswerer(needs))
    scope.get(servicePath, async (request, reply) => {
      const hint = `This is a SOAP service. Its description is at ${serviceAddress(needs.baseUrl())}?wsdl\n`
      if (!asksForWsdl(request.query)) return reply.type('text/plain; charset=utf-8').send(hint)
      wsdl ??= writeWsdl(contracts, needs.baseUrl())
      return reply.type(contentTypes['1.1']).send(wsdl)
    })
    scope.post(servicePath, { bodyLimit: bodyBytesMax, onRequest: refuseEncodings }, answerCall)
    // Before the body is read, because its content type does not matter any more.
    scope.route({
      method: scope.supportedMethods.filter((method) => !methodsAllowed.includes(method)),
      url: servicePath,
      onRequest: refuseMethod,
      handler: refuseMethod,
    })
  })
}

function callAnswerer({ operations, callOperation, context }: SoapNeeds) {
  const served = new Map<string, Served>()
  for (const operation of operations) {
    const soap = soapOperationOf(operation.contract)
    served.set(soap.name, { operation, soap })
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const envelope = readRequest(request.body)
    if ('code' in envelope) return sendFault(request, reply, envelope)

    const { version, operation: element } = envelope
    const found = served.get(element.name)
    if (!found || !isOurs(element.namespace)) {
      const name = element.name.slice(0, nameLengthMax)
      const reason = found
        ? `The operation ${name} is in another namespace; the one expected is ${targetNamespace}`
        : `There is no operation ${name}; compare the WSDL`
      return sendFault(request, reply, { code: 'Sender', reason, version })
    }
    const named = operationInAction(request)
    if (named !== element.name && served.has(named)) {
      const reason = `The SOAPAction names ${named}, and the body calls ${element.name}`
      return sendFault(request, reply, { code: 'Sender', reason, version })
    }
    const answer = await answerTo(callOperation, { ...found, element, request })
    noteOutcome(request, answer.error)
    logIfUnheard(request, context.log)
    return reply
      .status(statusOf(answer.error))
      .headers(answer.notes)
      .type(contentTypes[version])
      .send(writeResult(found.soap, version, answer.result))
  }
}

// SOAP 1.1 sends the action as a header, SOAP 1.2 as a parameter of the content type. A proxy may let calls
// pass by their action, so one that names another operation of the WSDL is refused. A foreign one does not
// matter.
function operationInAction({ headers }: FastifyRequest): string {
  const [, parameter] = /;\s*action="?([^";]*)/i.exec(headers['content-type'] ?? '') ?? []
  const header = headers['soapaction']
  const action = typeof header === 'string' ? header.replaceAll('"', '') : (parameter ?? '')
  return action
    .slice(Math.max(action.lastIndexOf('/'), action.lastIndexOf('#'), action.lastIndexOf(':')) + 1)
    .trim()
}

type Exchange = Served & { readonly element: XmlElement; readonly request: FastifyRequest }

function answerTo(
  callOperation: CallOperation,
  { operation, soap, element, request }: Exchange,
): Answer | Promise<Answer> {
  const parameters = readParameters(element, soap)
  if (!parameters.ok) return refusedBeforeCall(operation, parameters.refusal)
  const { body, sessionKey, idempotencyKeys: members } = parameters.value
  const key = readIdempotencyKey({ header: request.headers['idempotency-key'], members })
  if (!key.ok) return refusedBeforeCall(operation, key.refusal)
  return callOperation(operation, {
    body,
    sessionKey,
    idempotencyKey: key.value,
    address: request.ip,
    requestId: request.id,
    isWaiting: () => isCallerWaiting(request),
    noteCaller: (caller) => noteCaller(request, caller),
  })
}

function readRequest(body: unknown): SoapRequest | Problem {
  if (!Buffer.isBuffer(body)) return { code: 'Sender', reason: 'There is no body' }
  if (!isUtf8(body)) return { code: 'Sender', reason: 'The body is not plain UTF-8' }
  const reading = readEnvelope(body.toString('utf8').replace(/^\ufeff/, ''))
  if (reading.ok) return reading.value
  const { kind, details, known } = reading.refusal
  return { code: kind, reason: String(details['problem']), ...(known ? { version: known } : {}) }
}

// Clients of SOAP read the result, not the status; only what a proxy or a queue has to notice has its own.
function statusOf(error: ErrorName | null): number {
  if (error === 'busy') return 503
  return error === 'rate_limited' || error === 'card_testing' ? 429 : 200
}

function asksForWsdl(query: unknown): boolean {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : []
  return names.some((name) => ['wsdl', 'singlewsdl'].includes(name.toLowerCase()))
}

async function refuseEncodings(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Fastify lets an empty body pass without a content type.
  if (request.headers['content-type'] === undefined) {
    await sendFault(request, reply, { code: 'Sender', reason: wrongContentType }, 415)
    return
  }
  if (isPlainUtf8(request.headers)) return
  await sendFault(request, reply, { code: 'Sender', reason: 'The body must be plain UTF-8' }, 415)
}

async function refuseMethod(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const reason = `${request.method} is not possible here; use POST`
  return sendFault(request, reply.header('allow', methodsAllowed.join(', ')), { code: 'Sender', reason }, 405)
}

function errorAnswerer({ context }: SoapNeeds) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = error.statusCode ?? (brokenOff.has(error.code) ? 400 : 500)
    const isFaultOfOurs = status < 400 || status >= 500
    if (!isFaultOfOurs) {
      const reason = reasons.get(status) ?? 'The request cannot be read'
      return sendFault(request, reply, { code: 'Sender', reason }, status)
    }
    context.log.error({ requestId: request.id, err: error }, 'A SOAP call failed by a fault of ours')
    const reason = `Something broke on our side; request ${request.id}`
    return sendFault(request, reply, { code: 'Receiver', reason }, 500)
  }
}

function sendFault(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, reason, version }: Problem,
  status?: number,
): FastifyReply {
  const fault = writeFault(version ?? versionOfContentType(request.headers['content-type']), { code, reason })
  return reply
    .status(status ?? fault.status)
    .type(fault.contentType)
    .send(fault.body)
}
