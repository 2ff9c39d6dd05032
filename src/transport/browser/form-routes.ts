import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { bankReturnPage } from '#capabilities/form-pages/bank-check.page.ts'
import { findPicture } from '#capabilities/forms/find-pictures.operation.ts'
import { picturesPath } from '#capabilities/forms/picture-file.ts'
import { readColors } from '#capabilities/forms/form-colors.ts'
import { formPath } from '#capabilities/forms/form-token.operation.ts'
import { giveMoreTime } from '#capabilities/forms/extend-form.operation.ts'
import { backPath } from '#capabilities/form-payments/order-by-form.operation.ts'
import { type FormView, showForm } from '#capabilities/form-payments/show-form.operation.ts'
import { receiptOfForm } from '#capabilities/form-payments/receipt-of-form.operation.ts'
import { themeStyle } from '#capabilities/form-pages/form-theme.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'
import { assetsPath, formAssets } from '#transport/browser/form-assets.ts'
import {
  isTheirs,
  sendFault,
  sendForm,
  sendFormPage,
  sendJson,
  sendMissing,
  sendReceipt,
  sendSlow,
  waiting,
} from '#transport/browser/form-answers.ts'
import { answerPayment, doorTo, type PageNeeds } from '#transport/browser/form-payment.ts'
import { overState, sendQuote, stateOf } from '#transport/browser/form-questions.ts'
import { MissLimit } from '#transport/browser/miss-limit.ts'
import { isFromElsewhere, type Visit, visitOf } from '#transport/browser/form-visit.ts'
import { pictureHeaders } from '#transport/browser/page-headers.ts'
import { sendPacked } from '#transport/browser/send-packed.ts'
import { readFields } from '#transport/read-fields.ts'

const yearSeconds = 31_536_000

// The pages of hosted forms. A form is known by the token in its address; there are no sessions here.
export function registerForms(app: FastifyInstance, needs: PageNeeds): void {
  const { context } = needs
  void app.register(async (scope) => {
    readFields(scope)
    // Nobody who pays is shown an envelope, whatever goes wrong.
    scope.setErrorHandler((error, request, reply) =>
      isTheirs(error)
        ? sendMissing(context, { visit: visitOf(context, request), reply }, error.statusCode)
        : sendFault(context, { error, request, reply }),
    )
    turnGuessersAway(scope, context, (request, reply) =>
      sendSlow(context, { visit: visitOf(context, request), reply }),
    )
    registerPages(scope, needs)
    registerQuestions(scope, context)
  })
  void app.register(async (scope) => registerFormFiles(scope))
  void app.register(async (scope) => {
    turnGuessersAway(scope, context, (_, reply) => sendText(waiting(reply).code(429), 'Please wait.'))
    registerPictures(scope, context)
  })
}

// Questions about a form or a picture that there is not. A file or a receipt that is not there is no guess.
const missed = new WeakSet<FastifyRequest>()

type TurnAway = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

// After too many misses in this scope nothing is looked up for a network. Each scope counts its own, so that
// pictures that are gone keep no payer from a form.
function turnGuessersAway(scope: FastifyInstance, context: Context, turnAway: TurnAway): void {
  if (!context.hasFormLimits) return
  const misses = new MissLimit()
  const nowMs = () => context.clock.now().epochMilliseconds
  scope.addHook('onRequest', async (request, reply) => {
    if (misses.isReached(ownNetworkOf(request.ip), nowMs())) await turnAway(request, reply)
  })
  scope.addHook('onResponse', async (request, { statusCode }) => {
    const isNoForm = statusCode === 404 && request.routeOptions.url === formPath
    if (isNoForm || missed.has(request)) misses.count(ownNetworkOf(request.ip), nowMs())
  })
}

function registerPages(scope: FastifyInstance, needs: PageNeeds): void {
  const { context } = needs
  // Who has half an address is a payer all the same.
  for (const url of ['/PayForm', '/PayForm/*'])
    scope.get(url, async (request, reply) =>
      sendMissing(context, { visit: visitOf(context, request), reply }),
    )
  scope.get(formPath, async (request, reply) => {
    const visit = visitOf(context, request)
    const view = await viewFor(context, request, visit)
    if (!view) return sendMissing(context, { visit, reply })
    // Known before anything is paid, so that whoever hears no answer is known again.
    if (visit.browser && view.standing === 'open') reply.header('set-cookie', visit.cookieFor(visit.browser))
    return sendForm(context, { visit, view, reply })
  })
  scope.post(formPath, async (request, reply) => {
    const visit = visitOf(context, request)
    return isFromElsewhere(context, request)
      ? sendMissing(context, { visit, reply }, 403)
      : answerPayment(needs, { visit, request, reply }, visit.token && doorTo(context, visit.token))
  })
  scope.get('/PayForm/receipt', async (request, reply) => {
    const visit = visitOf(context, request)
    const view = await viewFor(context, request, visit)
    const receipt = view && (await receiptOfForm(context, view, visit.tongue))
    return view && receipt !== null
      ? sendReceipt(reply, receipt, view.form.origins)
      : sendMissing(context, { visit, reply })
  })
  // Stands inside the frame of whatever page the payer came from, and holds nothing.
  scope.get(backPath, (request, reply) => {
    const page = bankReturnPage(visitOf(context, request).tongue, formAssets())
    return sendFormPage(reply, { status: 200, page, origins: ['*'] })
  })
  scope.post('/PayForm/extend', async (request, reply) => {
    const visit = visitOf(context, request)
    const view = isFromElsewhere(context, request) ? null : await viewFor(context, request, visit)
    if (!view) return sendMissing(context, { visit, reply })
    await giveMoreTime(context, view)
    return visit.wantsJson
      ? sendState(reply, visit, await viewFor(context, request, visit))
      : reply.redirect(visit.address, 303)
  })
}

// What the script asks while somebody types.
function registerQuestions(scope: FastifyInstance, context: Context): void {
  scope.post('/PayForm/fee', async (request, reply) => {
    const visit = visitOf(context, request)
    const view = isFromElsewhere(context, request) ? null : await viewFor(context, request, visit)
    return sendQuote(context, { visit, view, reply })
  })
  scope.get('/PayForm/state', async (request, reply) => {
    const visit = visitOf(context, request)
    return sendState(reply, visit, await viewFor(context, request, visit))
  })
}

function sendState(reply: FastifyReply, { tongue }: Visit, view: FormView | null): FastifyReply {
  return sendJson(reply, view ? stateOf(view, tongue) : overState('missing'))
}

async function viewFor(context: Context, request: FastifyRequest, { token, browser }: Visit) {
  const view = token && (await showForm(context, { token, browser }))
  if (!view) missed.add(request)
  return view
}

const kept = `public, max-age=${yearSeconds}, immutable`

// What merchants have named, fetched and judged when it was named. A browser takes it for what we say that it
// is, and runs nothing in it.
function registerPictures(scope: FastifyInstance, context: Context): void {
  scope.get<{ Params: { readonly name: string } }>(`${picturesPath}:name`, async (request, reply) => {
    const picture = await findPicture(context, request.params.name)
    if (!picture) {
      missed.add(request)
      return sendText(reply.code(404), 'There is no such picture.')
    }
    const headers = { ...pictureHeaders, 'cache-control': kept }
    return reply.headers(headers).type(picture.type).send(picture.content)
  })
}

// For everybody: pages of links and of the sandbox have the same files. Names carry a digest of the content,
// colours are their own name: both can be kept for ever.
export function registerFormFiles(scope: FastifyInstance): void {
  const keep = { 'cache-control': kept, vary: 'accept-encoding' }
  scope.get<{ Params: { readonly name: string } }>(`${assetsPath}:name`, (request, reply) => {
    const file = formAssets().files.get(request.params.name)
    if (!file) return sendText(reply.code(404), 'There is no such file.')
    return sendPacked(reply.headers(keep), file)
  })
  scope.get<{ Params: { readonly colors: string } }>('/PayForm/theme/:colors', (request, reply) => {
    const colors = readColors(request.params.colors.replace(/\.css$/, ''))
    if (!colors) return sendText(reply.code(404), 'These are no colours.')
    return reply.headers(keep).type('text/css; charset=utf-8').send(themeStyle(colors))
  })
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`${text}\n`)
}
