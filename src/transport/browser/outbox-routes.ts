import type { FastifyInstance } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { listMessages, showMessage } from '#capabilities/messages/show-messages.operation.ts'
import { outboxPage, outboxPath, outboxShownMax, outboxStyle } from '#capabilities/sandbox/outbox.page.ts'

type Needs = {
  readonly context: Pick<Context, 'db' | 'keyRing' | 'linkAddressOf'>
  readonly baseUrl: () => string
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// An e-mail carries its styles with it. It may show nothing from elsewhere and run nothing.
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

// What was sent to whom. In the sandbox only: everybody may look into it.
export function registerOutbox(app: FastifyInstance, { context, baseUrl }: Needs): void {
  if (context.keyRing.mode !== 'sandbox') return
  app.get(outboxPath, async (_, reply) => {
    const wanted = { accountId: null, state: null, most: outboxShownMax }
    const page = outboxPage({ messages: await listMessages(context, wanted), baseUrl: baseUrl() })
    return reply
      .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(page.text)
  })
  app.get(`${outboxPath}.css`, (_, reply) => reply.type('text/css; charset=utf-8').send(outboxStyle))
  app.get<{ Params: { id: string } }>(`${outboxPath}/:id/mail`, async ({ params: { id } }, reply) => {
    const shown = /^\d{1,18}$/.test(id) ? await showMessage(context, BigInt(id)) : null
    if (!shown || shown.message.html === null) return reply.callNotFound()
    return reply
      .headers({ 'content-security-policy': mailPolicy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(shown.message.html)
  })
}
