import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import {
  isSignedBy,
  receiptIn,
  textApiInboundPath,
  textApiStatusPath,
} from '#capabilities/messages/text-api.connector.ts'
import type { Secret } from '#kernel/secret.ts'
import { fieldsOf, readFields } from '#transport/read-fields.ts'

type Needs = { readonly context: Context; readonly baseUrl: () => string }

const formBytesMax = 65_536
type Fields = ReadonlyMap<string, string>

// What a provider of texts tells us, signed with our token there: what became of texts, and what phones
// answer.
export function registerProvider(app: FastifyInstance, { context, baseUrl }: Needs): void {
  const token = context.textApiToken
  if (!token) return
  const hearing = hearingOf(context)
  void app.register(async (scope) => {
    readFields(scope, formBytesMax)
    const signed = signedBy(token, baseUrl)
    scope.post(
      textApiStatusPath,
      signed(async (fields) => {
        const receipt = receiptIn(fields)
        if (receipt) await hearing.onReceipt(receipt)
      }),
    )
    scope.post(
      textApiInboundPath,
      signed((fields) =>
        hearing.onText({
          sender: 'api',
          ref: fields.get('MessageSid') ?? '',
          phone: fields.get('From') ?? '',
          text: fields.get('Body') ?? '',
          // The provider says so when it has answered by itself.
          isAnswered: fields.has('OptOutType'),
        }),
      ),
    )
  })
}

// Takes only what the provider has signed.
function signedBy(token: Secret, baseUrl: () => string) {
  return (take: (fields: Fields) => Promise<void>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const fields = fieldsOf(request.body)
      const signature = String(request.headers['x-twilio-signature'] ?? '')
      if (!isSignedBy(token, { url: `${baseUrl()}${request.url}`, fields, signature }))
        return reply.code(403).type('text/plain').send('The signature is not right.')
      await take(fields)
      // No answer of its own: ours go through the outbox.
      return reply.type('text/xml; charset=utf-8').send('<?xml version="1.0"?><Response/>')
    }
}
