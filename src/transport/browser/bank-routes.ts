import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { BankPage } from '#engine/acquirers/payer-authentication.ts'
import { bankPagesPath } from '#engine/acquirers/simulator-payer.connector.ts'
import { bankHeaders } from '#transport/browser/page-headers.ts'
import { sendPage } from '#transport/browser/send-page.ts'
import { fieldsOf, readFields } from '#transport/read-fields.ts'

const formBytesMax = 4_096

// The pages on which a simulated bank wants to see the payer. A bank is not us: nothing here knows of
// sessions or orders.
export function registerBankPages(app: FastifyInstance, { bankPages }: Pick<Context, 'bankPages'>): void {
  if (!bankPages) return
  void app.register(async (scope) => {
    readFields(scope, formBytesMax)
    const path = `${bankPagesPath}:challengeId`
    scope.get<{ Params: Named }>(path, async ({ params }, reply) =>
      sendBank(reply, await bankPages.show(params.challengeId)),
    )
    scope.post<{ Params: Named; Body: unknown }>(path, async ({ params, body }, reply) => {
      const page = await bankPages.answer(params.challengeId, fieldsOf(body))
      return page.goOn === null ? sendBank(reply, page) : reply.redirect(page.goOn, 303)
    })
  })
}

type Named = { readonly challengeId: string }

function sendBank(reply: FastifyReply, page: BankPage): FastifyReply {
  const status = page.isKnown ? 200 : 404
  return sendPage(reply, { status, body: page.text, headers: bankHeaders(page.style) })
}
