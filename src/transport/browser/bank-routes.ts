import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { BankPage } from '#engine/acquirers/payer-authentication.ts'
import { bankPagesPath } from '#engine/acquirers/simulator-payer.connector.ts'

const formBytesMax = 4_096

// The pages on which a simulated bank wants to see the payer. A bank is not us: nothing here knows of
// sessions or orders.
export function registerBankPages(app: FastifyInstance, { bankPages }: Pick<Context, 'bankPages'>): void {
  if (!bankPages) return
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formBytesMax },
      (_, body, done) => done(null, new Map(new URLSearchParams(String(body)))),
    )
    const path = `${bankPagesPath}:challengeId`
    scope.get<{ Params: Named }>(path, async ({ params }, reply) =>
      sendPage(reply, await bankPages.show(params.challengeId)),
    )
    scope.post<{ Params: Named; Body: unknown }>(path, async ({ params, body }, reply) => {
      const fields = body instanceof Map ? textsIn(body) : new Map<string, string>()
      const page = await bankPages.answer(params.challengeId, fields)
      return page.goOn === null ? sendPage(reply, page) : reply.redirect(page.goOn, 303)
    })
  })
}

type Named = { readonly challengeId: string }

function textsIn(body: ReadonlyMap<unknown, unknown>): ReadonlyMap<string, string> {
  return new Map([...body].map(([name, value]) => [String(name), String(value)]))
}

// Its one style is allowed by its digest, and no script at all. Like every bank's, it stands inside the pages
// of shops that it does not know; a form may be embedded itself.
function policyFor({ style }: BankPage): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    'frame-ancestors *',
  ].join('; ')
}

function sendPage(reply: FastifyReply, page: BankPage): FastifyReply {
  return reply
    .code(page.isKnown ? 200 : 404)
    .headers({
      'content-security-policy': policyFor(page),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    })
    .type('text/html; charset=utf-8')
    .send(page.text)
}
