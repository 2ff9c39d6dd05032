import type { Operation } from '#capabilities/wire/contract.ts'
import { doneEnvelope } from '#capabilities/wire/envelope.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'
import { linkPagesInMarkdown } from '#transport/browser/markdown.page.ts'
import { idempotencyKeyForm } from '#transport/idempotency-key.ts'

type Facts = Operation<never>['contract']

const envelopeSchema = {
  type: 'object',
  required: ['FunctionOk', 'ErrCode', 'ErrMsg', 'RespMsg'],
  properties: {
    FunctionOk: { type: 'boolean', description: 'The function executed correctly.' },
    ErrCode: {
      type: 'integer',
      description: '0 means success; every other number is [explained](/docs/errors).',
    },
    ErrMsg: { type: 'string', description: 'Empty on success, else ERROR:<ErrCode>:<severity>:<text>.' },
    RespMsg: { type: 'string', description: 'A message for people.' },
  },
} as const

const introduction = `
Every call is a POST with a JSON body and answers one object under the operation's result key, with an
envelope: \`FunctionOk\`, \`ErrCode\`, \`ErrMsg\`, \`RespMsg\`. HTTP status 200 means that the call reached
its operation, refusals included.

1. Call **Authenticate** with your account code and token.
2. Send its \`SessKey\` in the header of every other call.
3. Give every call that charges, voids or creates an \`Idempotency-Key\` of its own: sent again, it is
   answered again and not done again.

[All error codes](/docs/errors). [The language of searches](/docs/query-language),
[payment forms](/docs/hosted-form), [payment links](/docs/text-to-pay),
[international orders](/docs/international), [webhooks](/docs/webhooks) and [events](/docs/events). The same
operations over SOAP: [WSDL](/APIcardProcService/CardProcAPI.svc?wsdl).

In the sandbox: [cards and amounts that decline, wait or get lost](/docs/sandbox), [a payment form to put
together](/sandbox/forms), [what was sent to payers](/sandbox/outbox), [what webhooks
received](/sandbox/inbox).`

// OpenAPI 3.1, written from the contracts; TypeBox schemas are JSON Schema already.
export function openApiDocument(operations: readonly { readonly contract: Facts }[]): object {
  const contracts = operations.map(({ contract }) => contract)
  return {
    openapi: '3.1.0',
    info: { title: 'Tillgate', version: '1.0.0', description: introduction },
    // Relative, so that a page which was opened under another name of this machine calls where it came from.
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      contracts.map((contract) => [`${contract.prefix}${contract.path}`, pathItem(contract)]),
    ),
    components: {
      schemas: { Envelope: envelopeSchema },
      parameters: { IdempotencyKey: keyParameter },
      securitySchemes: { SessKey: { type: 'apiKey', in: 'header', name: 'SessKey' } },
    },
  }
}

function pathItem(contract: Facts): object {
  const { title, description, isBeyondSpecification, resultKey, access, takesKey, request, example } =
    contract
  const result = { ...doneEnvelope(example.message), ...example.result }
  return {
    post: {
      operationId: resultKey.replace(/Result$/, ''),
      summary: title,
      description: descriptionOf(description, isBeyondSpecification),
      tags: [contract.path.includes('/') ? (contract.path.split('/')[0] ?? '') : 'Session'],
      security: access === 'session' ? [{ SessKey: [] }] : [],
      ...(takesKey && { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] }),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: request, example: example.request } },
      },
      responses: {
        200: {
          description: `The call reached its operation. Possible refusals: ${refusalWords(contract)}.`,
          content: {
            'application/json': { schema: answerSchema(contract), example: { [resultKey]: result } },
          },
        },
        400: {
          description:
            'The request cannot be read, or a member is missing, of the wrong type or out of range.',
        },
        ...(takesKey && keyResponses),
        429: { description: 'Too many calls; see Retry-After.' },
        503: { description: 'Busy, or the database does not answer; nothing was done. See Retry-After.' },
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

const keyResponses = {
  409: { description: 'The call with this Idempotency-Key is still running; see Retry-After.' },
  422: { description: 'The Idempotency-Key belongs to another request.' },
}

function answerSchema({ resultKey, result }: Facts): object {
  return {
    type: 'object',
    required: [resultKey],
    properties: { [resultKey]: { allOf: [{ $ref: '#/components/schemas/Envelope' }, result] } },
  }
}

function refusalWords({ refusals }: Facts): string {
  return refusals.map((name) => `${errorCodes[name].code} ${name.replaceAll('_', ' ')}`).join(', ')
}
