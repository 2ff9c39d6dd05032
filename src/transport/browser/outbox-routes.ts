import type { FastifyInstance } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { listMessages, showMessage } from '#capabilities/messages/show-messages.operation.ts'
import { outboxPage, outboxPath, outboxShownMax, outboxStyle } from '#capabilities/sandbox/outbox.page.ts'
import { formAssets } from '#transport/browser/form-assets.ts'
import { refuseUnknownHosts } from '#transport/browser/known-host.ts'
import { mailHeaders, outboxHeaders } from '#transport/browser/page-headers.ts'
import { sendPage } from '#transport/browser/send-page.ts'

type Needs = {
  readonly context: Pick<Context, 'db' | 'keyRing' | 'linkAddressOf' | 'publicAddress'>
  readonly baseUrl: () => string
}

// What was sent to whom. In the sandbox only: everybody may look into it.
export function registerOutbox(app: FastifyInstance, { context, baseUrl }: Needs): void {
  if (context.keyRing.mode !== 'sandbox') return
  void app.register(async (scope) => {
    refuseUnknownHosts(scope, context)
    scope.get(outboxPath, async (_, reply) => {
      const wanted = { accountId: null, state: null, most: outboxShownMax }
      const messages = await listMessages(context, wanted)
      const page = outboxPage({ messages, baseUrl: baseUrl(), script: formAssets().outboxScript })
      return sendPage(reply, { body: page.text, headers: outboxHeaders })
    })
    scope.get(`${outboxPath}.css`, (_, reply) => reply.type('text/css; charset=utf-8').send(outboxStyle))
    scope.get<{ Params: { id: string } }>(`${outboxPath}/:id/mail`, async ({ params: { id } }, reply) => {
      const shown = /^\d{1,18}$/.test(id) ? await showMessage(context, BigInt(id)) : null
      if (!shown || shown.message.html === null) return reply.callNotFound()
      return sendPage(reply, { body: shown.message.html, headers: mailHeaders })
    })
  })
}
