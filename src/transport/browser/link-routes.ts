import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { receiptOfForm } from '#capabilities/form-payments/receipt-of-form.operation.ts'
import { answerQuestions } from '#capabilities/links/answer-questions.operation.ts'
import { linkAddress } from '#capabilities/links/link-code.operation.ts'
import { linkPath } from '#capabilities/links/link-code.ts'
import { linkQr } from '#capabilities/links/link-qr.page.ts'
import {
  type LinkView,
  type LinkVisit,
  noteOpening,
  proofOf,
  showFormOf,
  showLink,
} from '#capabilities/links/show-link.operation.ts'
import { isTheirs, sendFault, sendJson, sendReceipt } from '#transport/browser/form-answers.ts'
import { answerPayment, type PageNeeds } from '#transport/browser/form-payment.ts'
import { overState, sendQuote, stateOf } from '#transport/browser/form-questions.ts'
import { isFromElsewhere, newBrowser, textIn } from '#transport/browser/form-visit.ts'
import {
  doorBehind,
  isOver,
  sendLink,
  sendNoLink,
  sendQuestions,
  sendTooMany,
} from '#transport/browser/link-answers.ts'
import { MissLimit } from '#transport/browser/miss-limit.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'
import { type LinkCall, linkCallOf } from '#transport/browser/link-visit.ts'
import { readFields } from '#transport/read-fields.ts'

type Found = {
  readonly call: LinkCall
  readonly visit: LinkVisit
  readonly view: LinkView
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}
type Serve = (found: Found) => Promise<FastifyReply>

// The pages behind payment links. Looking at one changes nothing but that it was opened.
export function registerLinks(app: FastifyInstance, needs: PageNeeds): void {
  const { context } = needs
  const misses = context.hasFormLimits ? new MissLimit() : null
  const nowMs = () => context.clock.now().epochMilliseconds
  void app.register(async (scope) => {
    readFields(scope)
    // Nobody who pays is shown an envelope, whatever goes wrong.
    scope.setErrorHandler((error, request, reply) =>
      isTheirs(error)
        ? sendNoLink(context, { call: linkCallOf(context, request), reply }, error.statusCode)
        : sendFault(context, { error, request, reply }),
    )
    const route = (method: 'GET' | 'POST', page: string, serve: Serve) =>
      scope.route({
        method,
        url: `${linkPath}:code${page}`,
        handler: async (request, reply) => {
          const call = linkCallOf(context, request)
          const network = ownNetworkOf(request.ip)
          // Not even a right one is looked up, because that would tell. Counted before, so that those
          // that come at once are counted too.
          if (misses && !misses.take(network, nowMs())) return sendTooMany(context, { call, reply })
          const view = await lookUp(context, call, () => misses?.giveBack(network))
          const isAlien = method === 'POST' && isFromElsewhere(context, request)
          if (call.link && view && !isAlien) return serve({ call, visit: call.link, view, request, reply })
          return sendNoLink(context, { call, reply })
        },
      })
    for (const url of [linkPath.slice(0, -1), `${linkPath}:code/*`])
      scope.get(url, async (request, reply) => sendToLink(context, linkCallOf(context, request), reply))
    registerPages(needs, route)
    registerQuestions(context, route)
  })
}

// An address with something behind it that is no page of a link, such as a slash, means the link.
function sendToLink(context: Context, call: LinkCall, reply: FastifyReply): FastifyReply {
  return call.link ? reply.redirect(call.visit.address, 303) : sendNoLink(context, { call, reply })
}

// A fault of ours is no miss either.
async function lookUp(context: Context, { link }: LinkCall, giveBack: () => void): Promise<LinkView | null> {
  let view: LinkView | null | undefined
  try {
    view = link && (await showLink(context, link))
    return view
  } finally {
    if (view !== null) giveBack()
  }
}

type Route = (method: 'GET' | 'POST', page: string, serve: Serve) => void

function registerPages(needs: PageNeeds, route: Route): void {
  const { context } = needs
  route('GET', '', async (found) => {
    const { call, visit, request, reply } = found
    // Cookies belong to the address as it was sent, not as it was typed or with the full stop behind it.
    if (textIn(request.params, 'code') !== visit.code.reveal()) return reply.redirect(call.visit.address, 303)
    await noteOpening(context, found.view)
    return sendLink(context, found)
  })
  route('POST', '', async ({ call, visit, view, request, reply }) =>
    answerPayment(
      needs,
      { visit: call.visit, request, reply },
      doorBehind(context, view, visit, call.visit.tongue),
    ),
  )
  route('POST', '/answers', async (found) => {
    const { call, visit, view, reply } = found
    const answers = view.link.questions.map((_, at) => call.visit.sent.get(`answer${at + 1}`) ?? '')
    if (!(await answerQuestions(context, view, answers))) {
      const now = (await showLink(context, visit)) ?? view
      return now.standing === 'open'
        ? sendQuestions(context, { ...found, view: now }, { isWrong: true })
        : reply.redirect(call.visit.address, 303)
    }
    const browser = visit.browser ?? newBrowser()
    const cookies = [call.visit.cookieFor(browser), call.answeredCookie(proofOf(context, view.link, browser))]
    return reply.header('set-cookie', cookies).redirect(call.visit.address, 303)
  })
  route('GET', '/receipt', async (found) => {
    const form = await formOf(context, found)
    const receipt = form && (await receiptOfForm(context, form, found.call.visit.tongue))
    return receipt === null ? sendNoLink(context, found) : sendReceipt(found.reply, receipt, [])
  })
  route('GET', '/qr.svg', async ({ view, reply }) =>
    reply
      .header('content-security-policy', "default-src 'none'")
      .type('image/svg+xml')
      .send(linkQr(linkAddress(context, view.link))),
  )
}

// What the script asks while somebody types.
function registerQuestions(context: Context, route: Route): void {
  route('POST', '/fee', async (found) => {
    const { call, reply } = found
    return sendQuote(context, { visit: call.visit, view: await formOf(context, found), reply })
  })
  route('GET', '/state', async (found) => {
    const { call, view, reply } = found
    const form = await formOf(context, found)
    if (!form || isOver(view, form)) return sendJson(reply, overState(view.standing))
    // Time is the merchant's to give, so more of it is not offered.
    return sendJson(reply, { ...stateOf(form, call.visit.tongue), isExtended: true })
  })
}

async function formOf(context: Context, { view, visit }: Pick<Found, 'view' | 'visit'>) {
  return view.isAnswered ? showFormOf(context, view, visit) : null
}
