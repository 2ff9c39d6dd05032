import type { FastifyReply, FastifyRequest } from 'fastify'
import { gzipSync } from 'node:zlib'
import type { Context } from '#capabilities/context.ts'
import { type FormPrice, takesBank } from '#capabilities/form-payments/form-price.ts'
import { findPictures } from '#capabilities/forms/find-pictures.operation.ts'
import { parentMessage, redirectAddress } from '#capabilities/forms/form-result.operation.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { Scene, Typed } from '#capabilities/form-pages/form-scene.page.ts'
import { isTakenBack, noFormPage, renderForm } from '#capabilities/form-pages/render-form.page.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { feeWords, moneyWords, type Tongue, tongueFor } from '#capabilities/payer-words/tongue.ts'
import type { Html } from '#kernel/html.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import { isAway } from '#platform/postgres/failures.ts'
import { formAssets } from '#transport/browser/form-assets.ts'
import { cookieFor, cookieIn, type Visit } from '#transport/browser/form-visit.ts'
import { formHeaders, receiptHeaders } from '#transport/browser/page-headers.ts'
import { takes } from '#transport/browser/send-packed.ts'
import { missWindowSeconds } from '#transport/browser/miss-limit.ts'
import { sendPage } from '#transport/browser/send-page.ts'
import { noteOutcome } from '#transport/outcome-note.ts'

type Showing = {
  readonly visit: Visit
  readonly view: FormView
  readonly reply: FastifyReply
  readonly typed?: Typed
}

export async function sendForm(context: Context, showing: Showing): Promise<FastifyReply> {
  const { view, visit, reply, typed } = showing
  const { method, headers } = reply.request
  const mark = takenBackMark(context, view)
  const isReturning = cookieIn(headers.cookie, takenBackCookie)?.reveal() === mark
  const stays = visit.stays || isReturning
  const scene = { ...(await sceneOf(context, visit, view)), stays }
  // The script asks for the head of the page before it shows it.
  if (method === 'GET' && isTakenBack(view, scene)) {
    const path = visit.address.replace(/\?.*$/, '')
    reply.header('set-cookie', cookieFor(context, { name: takenBackCookie, path, value: mark }))
  }
  const { status, page } = renderForm(view, scene, typed ?? null)
  return sendFormPage(reply, { status, page, origins: view.form.origins })
}

const takenBackCookie = 'tillgate_taken_back'

// Kept by the browser, which may run no script: who presses Back at the merchant's wants to be here.
function takenBackMark({ keyRing }: Context, { form }: FormView): string {
  return keyRing.keyedDigest('form-page', `taken back\n${form.formId}`).toString('hex').slice(0, 32)
}

type Page = { readonly status: number; readonly page: Html; readonly origins: readonly string[] }

export function sendFormPage(reply: FastifyReply, { status, page, origins }: Page): FastifyReply {
  const headers = formHeaders({ origins })
  if (!takes(reply.request, 'gzip')) return sendPage(reply, { status, body: page.text, headers })
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return sendPage(reply, { status, body: gzipSync(page.text), headers })
}

export function sendReceipt(reply: FastifyReply, receipt: string, origins: readonly string[]): FastifyReply {
  return sendPage(reply, { body: receipt, headers: receiptHeaders(receipt, { origins }) })
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

export async function sceneOf(context: Context, visit: Visit, view: FormView): Promise<Scene> {
  const { form, attempt, order, standing, isPayingBrowser } = view
  const paid = standing === 'paid' && isPayingBrowser && attempt ? { form, attempt, order } : null
  const { accountId: account, merchantNumber } = view.merchant
  const isTold = paid !== null && formOptions(form).tellsParent
  return {
    tongue: visit.tongue,
    assets: formAssets(),
    address: visit.address,
    addressOf: visit.addressOf,
    pictures: await findPictures(context, { account, merchant: merchantNumber }),
    isSandbox: context.keyRing.mode === 'sandbox',
    isEncrypted: context.publicAddress.url.startsWith('https:'),
    takesAch: takesBank(view.merchant) && !form.plan,
    redirect: paid && (await redirectAddress(context, paid)),
    stays: visit.stays,
    message: isTold ? await parentMessage(context, paid) : '',
    ...(visit.added ? { added: visit.added } : {}),
  }
}

type Reply = { readonly visit: Visit; readonly reply: FastifyReply }

// The same for an address that never led anywhere and for one that was made up.
export function sendMissing(context: Context, { visit, reply }: Reply, status = 404): FastifyReply {
  const isSandbox = context.keyRing.mode === 'sandbox'
  const page = noFormPage({ tongue: visit.tongue, assets: formAssets(), isSandbox }, 'missing')
  return sendFormPage(reply, { status, page, origins: [] })
}

// Of a network from where too many addresses were opened that lead nowhere (MissLimit).
export function sendSlow(context: Context, { visit, reply }: Reply): FastifyReply {
  const isSandbox = context.keyRing.mode === 'sandbox'
  const page = noFormPage({ tongue: visit.tongue, assets: formAssets(), isSandbox }, 'slow')
  return sendFormPage(waiting(reply), { status: 429, page, origins: [] })
}

export function waiting(reply: FastifyReply): FastifyReply {
  return reply.header('retry-after', String(missWindowSeconds))
}

// What was sent is too large, or of a kind that no page of ours sends.
export function isTheirs(error: unknown): error is { readonly statusCode: number } {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return false
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

type Fault = { readonly error: unknown; readonly request: FastifyRequest; readonly reply: FastifyReply }

// A payer is told to look again, never what broke.
export function sendFault(context: Context, fault: Fault): FastifyReply {
  const { request, reply } = fault
  const isSandbox = context.keyRing.mode === 'sandbox'
  const tongue = tongueFor(request.headers['accept-language'] ?? '', '')
  const page = noFormPage({ tongue, assets: formAssets(), isSandbox }, 'fault')
  const isBusy = isAway(fault.error)
  noteOutcome(request, isBusy ? 'busy' : 'fault')
  logFault(context, fault, isBusy)
  return isBusy
    ? sendFormPage(reply.header('retry-after', '1'), { status: 503, page, origins: [] })
    : sendFormPage(reply, { status: 500, page, origins: [] })
}

function logFault({ log }: Context, { error, request }: Fault, isBusy: boolean): void {
  const where = { requestId: request.id, err: error }
  if (isBusy) log.warn(where, 'The database does not answer')
  else log.error({ ...where, faultId: randomLetters() }, 'A page of a form failed by a fault of ours')
}

export function quoteToSend({ base, fee, total, surchargeBasisPoints }: FormPrice, tongue: Tongue) {
  return {
    feeLabel: feeWords(surchargeBasisPoints, tongue),
    base: moneyWords(base, tongue),
    fee: moneyWords(fee, tongue),
    total: moneyWords(total, tongue),
    minor: String(total.minor),
    hasFee: fee.minor > 0n,
  }
}
