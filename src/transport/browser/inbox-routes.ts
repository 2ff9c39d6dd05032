import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { inboxPath } from '#capabilities/sandbox/inbox-message.ts'
import { firstWebhookCommand, inboxPage, inboxStyle } from '#capabilities/sandbox/inbox.page.ts'
import { receiveWebhook, showInbox } from '#capabilities/sandbox/receive-webhook.operation.ts'
import { refuseUnknownHosts } from '#transport/browser/known-host.ts'
import { type OwnPlace, withOwnSamples } from '#transport/browser/own-samples.ts'
import { inboxHeaders } from '#transport/browser/page-headers.ts'
import { sendPage } from '#transport/browser/send-page.ts'
import { bodyBytesMax } from '#transport/call-operation.ts'

type Needs = { readonly context: Context; readonly ownPlace: () => OwnPlace }

const namePattern = /^[\w.-]{1,40}$/

// A receiver of webhooks for whoever has none yet. In the sandbox only: everybody may look into it.
export function registerInbox(app: FastifyInstance, { context, ownPlace }: Needs): void {
  if (context.keyRing.mode !== 'sandbox') return
  void app.register(async (scope) => {
    refuseUnknownHosts(scope, context)
    scope.get(inboxPath, async (_, reply) => {
      const { baseUrl } = ownPlace()
      const command = withOwnSamples(firstWebhookCommand, ownPlace())
      const page = inboxPage({ messages: await showInbox(context), baseUrl, command })
      return sendPage(reply, { body: page.text, headers: inboxHeaders })
    })
  })
  app.get(`${inboxPath}.css`, (_, reply) => reply.type('text/css; charset=utf-8').send(inboxStyle))
  void app.register(async (scope) => {
    // Whatever is sent is taken as it is.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_, body, done) =>
      done(null, body),
    )
    scope.route<{ Params: { name: string } }>({
      method: ['GET', 'POST'],
      url: `${inboxPath}/:name`,
      bodyLimit: bodyBytesMax,
      handler: async (request, reply) => {
        const { name } = request.params
        if (!namePattern.test(name)) return reply.callNotFound()
        const answered = answerWanted(request)
        await receiveWebhook(context, {
          name,
          method: request.method,
          path: request.url,
          headers: headersOf(request),
          body: request.body instanceof Buffer ? request.body : Buffer.alloc(0),
          answered,
        })
        return reply.code(answered).send()
      },
    })
  })
}

function headersOf({ headers }: FastifyRequest): readonly (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value]) => [name, String(value).replaceAll('\0', '')])
}

// ?answer=503 lets a sender see what it does about failures.
function answerWanted({ query }: FastifyRequest): number {
  const wanted = typeof query === 'object' && query && 'answer' in query ? String(query.answer) : ''
  return /^[2-5]\d\d$/.test(wanted) ? Number(wanted) : 204
}
