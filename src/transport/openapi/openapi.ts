import type { Operation } from '#capabilities/wire/contract.ts'
import { doneEnvelope } from '#capabilities/wire/envelope.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'
import { linkPagesInMarkdown } from '#transport/browser/markdown.page.ts'
import { bodyBytesMax } from '#transport/call-operation.ts'
import { idempotencyKeyForm } from '#transport/idempotency-key.ts'
import { tagOf, writeTags } from '#transport/openapi/tags.ts'
import { writeWebhooks } from '#transport/openapi/webhooks.ts'
import { nameSchema, type NamedSchemas, writeSchema } from '#transport/openapi/named-schemas.ts'
import { httpStatusOf, type StatusStyle } from '#transport/rest/http-status.ts'

type Facts = Operation<never>['contract']

const envelopeSchema = {
  type: 'object',
  required: ['FunctionOk', 'ErrCode', 'ErrMsg', 'RespMsg'],
  properties: {
    FunctionOk: { type: 'boolean', description: 'The function executed correctly.' },
    ErrCode: {
      type: 'integer',
      format: 'int64',
      description: '0 means success; every other number is [explained](/docs/errors).',
    },
    ErrMsg: { type: 'string', description: 'Empty on success, else ERROR:<ErrCode>:<severity>:<text>.' },
    RespMsg: { type: 'string', description: 'A message for people.' },
  },
} as const

const introduction = `
Every call is a POST with a JSON body and answers one object under the operation's result key, with an
envelope: \`FunctionOk\`, \`ErrCode\`, \`ErrMsg\`, \`RespMsg\`. HTTP status 200 means that the call reached
its operation, refusals included; every other status has the same envelope.

1. Call **Authenticate** with your account code and token.
2. Send its \`SessKey\` in the header of every other call.
3. Give every call that charges, voids or creates an \`Idempotency-Key\` of its own: sent again, it is
   answered again and not done again.

A member that is null counts as absent. One that is unknown is ignored and named in the header
\`Ignored-Members\`; one that looks like a slip for a member that is there is refused.
Amounts have at most 15 digits and no more decimals than their currency; a text may hold one as well. Dates
are read in many forms; moments are answered in UTC where nothing else is said.

[What a charge answers](/docs/reading-answers), and [all error codes](/docs/errors).
[The language of searches](/docs/query-language), [payment forms](/docs/hosted-form),
[payment links](/docs/text-to-pay), [international orders](/docs/international),
[webhooks](/docs/webhooks) and [events](/docs/events). The same operations over SOAP:
[WSDL](/APIcardProcService/CardProcAPI.svc?wsdl).

In the sandbox: [cards and amounts that decline, wait or get lost](/docs/sandbox), [a payment form to put
together](/sandbox/forms), [what was sent to payers](/sandbox/outbox), [what webhooks
received](/sandbox/inbox).`

// OpenAPI 3.1, written from the contracts; TypeBox schemas are JSON Schema already.
export function openApiDocument(
  operations: readonly { readonly contract: Facts }[],
  statusStyle: StatusStyle,
): object {
  const contracts = operations.map(({ contract }) => contract)
  const schemas: NamedSchemas = new Map<string, object>([
    ['Envelope', envelopeSchema],
    ['Refused', refusedSchema],
  ])
  const paths = contracts.map((contract) => [
    `${contract.prefix}${contract.path}`,
    pathItem(contract, { schemas, statusStyle }),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillgate',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // Relative, so that a page which was opened under another name of this machine calls where it came from.
    servers: [{ url: '/' }],
    tags: writeTags(contracts.map(({ path }) => path)),
    paths: Object.fromEntries(paths),
    webhooks: writeWebhooks(),
    components: {
      schemas: Object.fromEntries(schemas),
      responses: statusStyle === 'strict' ? sharedResponses : familyResponses,
      parameters: { IdempotencyKey: keyParameter },
      securitySchemes: { SessKey: { type: 'apiKey', in: 'header', name: 'SessKey' } },
    },
  }
}

type Writing = { readonly schemas: NamedSchemas; readonly statusStyle: StatusStyle }

function pathItem(contract: Facts, { schemas, statusStyle }: Writing): object {
  const { title, description, isBeyondSpecification, resultKey, access, takesKey, example } = contract
  const result = { ...doneEnvelope(example.message), ...example.result }
  return {
    post: {
      operationId: operationIdOf(contract),
      summary: title,
      description: descriptionOf(description, isBeyondSpecification),
      tags: [tagOf(contract.path)],
      security: access === 'session' ? [{ SessKey: [] }] : [],
      ...(takesKey && { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] }),
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: requestSchema(schemas, contract), example: example.request },
        },
      },
      responses: {
        200: {
          description: `The call reached its operation. Possible refusals: ${refusalWords(contract)}.`,
          headers: describeHeaders(headersAtTimes(contract)),
          content: {
            'application/json': {
              schema: answerSchema(schemas, contract),
              example: { [resultKey]: result },
            },
          },
        },
        ...sharedResponsesOf(contract, statusStyle),
      },
    },
  }
}

// Read as Markdown, so the pages that it names are links.
function descriptionOf(text: string, isBeyondSpecification: boolean): string {
  return linkPagesInMarkdown(isBeyondSpecification ? `${text}\n\nBeyond the specification.` : text)
}

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name of your own for this call. Sent again with the same body, it is answered again and not done again.',
  schema: { type: 'string', pattern: idempotencyKeyForm.source },
} as const

// What stands in every answer whose status is not 200, beside members that tell of nothing done.
const refusedSchema = {
  type: 'object',
  description: "One member, which is called by the operation's result key.",
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: { $ref: '#/components/schemas/Envelope' },
} as const

function refusedResponse(description: string, ...headers: readonly AnswerHeader[]): object {
  return {
    description,
    headers: describeHeaders(headers),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
  }
}

type AnswerHeader = keyof typeof answerHeaders

// Of an answer of the operation itself.
function headersAtTimes({ takesKey, load }: Facts): readonly AnswerHeader[] {
  if (load === 'sign-in') return ['Ignored-Members', 'SessKey-Expires']
  return takesKey ? ['Ignored-Members', 'Idempotent-Replayed', 'Sandbox-Reason'] : ['Ignored-Members']
}

// Beside the one that every answer has.
function describeHeaders(names: readonly AnswerHeader[]): object {
  return Object.fromEntries(['Request-Id' as const, ...names].map((name) => [name, answerHeaders[name]]))
}

const answerHeaders = {
  'Request-Id': { description: 'Names this call in our log.', schema: { type: 'string' } },
  'Ignored-Members': {
    description: 'Members of the request that the operation does not have: at most 20 paths.',
    schema: { type: 'string' },
  },
  'SessKey-Expires': {
    description: 'When the session ends, of an answer that has begun one.',
    schema: { type: 'string', format: 'date-time' },
  },
  'Idempotent-Replayed': {
    description: 'There, and true, when the answer is one that the Idempotency-Key had before.',
    schema: { type: 'string', const: 'true' },
  },
  'Sandbox-Reason': {
    description: 'In the sandbox, the documented value that provoked the answer, if any.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'In so many seconds.',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
  Allow: { description: 'What is possible.', schema: { type: 'string' } },
} as const

// Once for all operations.
const sharedResponses = {
  Status400: refusedResponse(
    'The request cannot be read, or a member is missing, of the wrong type or out of range.',
  ),
  Status401: refusedResponse('The session key, or what was signed in with, does not count.'),
  Status405: refusedResponse('Another method than POST.', 'Allow'),
  Status409: refusedResponse(
    'The call with this Idempotency-Key is still running; see Retry-After.',
    'Retry-After',
  ),
  Status413: refusedResponse(`The body is larger than ${bodyBytesMax} bytes.`),
  Status415: refusedResponse('The body is not application/json in plain UTF-8.'),
  Status422: refusedResponse('The Idempotency-Key belongs to another request.'),
  Status429: refusedResponse('Too many calls; see Retry-After.', 'Retry-After'),
  Status500: refusedResponse('A fault of ours, which RespMsg names. Look up whether anything was done.'),
  Status503: refusedResponse(
    'Busy, or the database does not answer; nothing was done. See Retry-After.',
    'Retry-After',
  ),
} as const

const { Status401: _, ...familyResponses } = sharedResponses

// In strict style a session that does not count is no answer of the operation.
function sharedResponsesOf({ refusals, takesKey }: Facts, statusStyle: StatusStyle): object {
  const isUnauthorized = refusals.some((name) => httpStatusOf(name, statusStyle) === 401)
  const names = Object.keys(sharedResponses).filter((name) => {
    if (name === 'Status401') return isUnauthorized
    return takesKey || (name !== 'Status409' && name !== 'Status422')
  })
  return Object.fromEntries(
    names.map((name) => [name.replace('Status', ''), { $ref: `#/components/responses/${name}` }]),
  )
}

function operationIdOf({ resultKey }: Facts): string {
  return resultKey.replace(/Result$/, '')
}

function requestSchema(schemas: NamedSchemas, contract: Facts): object {
  const schema = writeSchema(schemas, 'request', contract.request)
  return nameSchema(schemas, `${operationIdOf(contract)}Request`, schema)
}

function answerSchema(schemas: NamedSchemas, contract: Facts): object {
  const { resultKey } = contract
  const members = writeSchema(schemas, 'answer', contract.result)
  const result = nameSchema(schemas, resultKey, {
    allOf: [{ $ref: '#/components/schemas/Envelope' }, members],
  })
  return nameSchema(schemas, `${operationIdOf(contract)}Answer`, {
    type: 'object',
    required: [resultKey],
    properties: { [resultKey]: result },
  })
}

function refusalWords({ refusals }: Facts): string {
  return refusals.map((name) => `${errorCodes[name].code} ${name.replaceAll('_', ' ')}`).join(', ')
}
