import type { FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { factsOf } from '#capabilities/form-payments/form-facts.ts'
import { priceOf } from '#capabilities/form-payments/form-price.ts'
import type { Added } from '#capabilities/form-pages/form-scene.page.ts'
import { findPictures } from '#capabilities/forms/find-pictures.operation.ts'
import { noPictures } from '#capabilities/forms/picture-file.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { linkWords } from '#capabilities/links/link-words.ts'
import {
  aboutLink,
  type LinkScene,
  noLinkPage,
  othersPage,
  overPage,
  questionsPage,
} from '#capabilities/links/link.page.ts'
import { payLink } from '#capabilities/links/pay-link.operation.ts'
import { textFactsOf } from '#capabilities/links/send-link.operation.ts'
import {
  extrasOf,
  type LinkView,
  type LinkVisit,
  showFormOf,
} from '#capabilities/links/show-link.operation.ts'
import { fill, meansWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { assert } from '#kernel/assert.ts'
import { printExpiry } from '#kernel/card-expiry.ts'
import { randomHex } from '#platform/crypto/random.ts'
import { formAssets } from '#transport/browser/form-assets.ts'
import { quoteToSend, sendForm, sendFormPage, waiting } from '#transport/browser/form-answers.ts'
import type { Door } from '#transport/browser/form-payment.ts'
import { newBrowser } from '#transport/browser/form-visit.ts'
import type { LinkCall } from '#transport/browser/link-visit.ts'

type Found = {
  readonly call: LinkCall
  readonly visit: LinkVisit
  readonly view: LinkView
  readonly reply: FastifyReply
}

const visitBits = 128

// The link as it really is now.
export async function sendLink(context: Context, found: Found): Promise<FastifyReply> {
  const { call, visit, view, reply } = found
  const { standing, link } = view
  if (!view.isAnswered)
    return standing === 'open' ? sendQuestions(context, found, { isWrong: false }) : sendOver(context, found)
  const isVisit = link.isSingleUse || visit.number !== ''
  if (!isVisit) return standing === 'open' ? sendToVisit(found) : sendOver(context, found)
  const form = await showFormOf(context, view, visit)
  if (isOver(view, form)) return sendOver(context, found, form)
  if (standing === 'open' && form.standing === 'paid' && !form.isPayingBrowser)
    return sendOthers(context, found)
  // So that a payer who hears no answer is known again.
  if (form.standing === 'open' && !visit.browser)
    reply.header('set-cookie', call.visit.cookieFor(newBrowser()))
  const added =
    form.standing === 'open' ? await addedTo(context, view, { form, tongue: call.visit.tongue }) : null
  return sendForm(context, { visit: { ...call.visit, ...(added ? { added } : {}) }, view: form, reply })
}

// Whoever is paying or has paid is shown that, whatever became of the link meanwhile.
export function isOver({ standing }: LinkView, { standing: formStanding }: FormView): boolean {
  return standing !== 'open' && formStanding !== 'paying' && formStanding !== 'paid'
}

// Without the form of a visit nobody knows whether it is charged. form: of this visit.
async function sendOver(
  context: Context,
  { call, view, reply }: Found,
  form: FormView | null = null,
): Promise<FastifyReply> {
  const { link, standing } = view
  assert(standing !== 'open', 'an open link is not over')
  const isUncharged = link.isSingleUse ? standing !== 'paid' && standing !== 'paying' : form !== null
  const askAt = call.addressOf('state')
  const page = overPage(view, await sceneOf(context, call, view), { standing, isUncharged, askAt })
  const status = standing === 'paying' ? 200 : standing === 'locked' ? 403 : 410
  return sendFormPage(reply, { status, page, origins: [] })
}

async function sendOthers(context: Context, { call, view, reply }: Found): Promise<FastifyReply> {
  const own = call.visit.address.replace(/p=[0-9a-f]{32}&?/, '').replace(/\?$/, '')
  const page = othersPage(view, await sceneOf(context, call, view), own)
  return sendFormPage(reply, { status: 410, page, origins: [] })
}

// Each visit to a link for many payments has a number, so that a reload shows its own receipt and two payers
// are never in each other's way.
function sendToVisit({ call: { visit }, reply }: Found): FastifyReply {
  const mark = visit.address.includes('?') ? '&' : '?'
  return reply.redirect(`${visit.address}${mark}p=${randomHex(visitBits)}`, 303)
}

export async function sendQuestions(
  context: Context,
  { call, view, reply }: Found,
  { isWrong }: { readonly isWrong: boolean },
): Promise<FastifyReply> {
  const asked = { action: call.addressOf('answers'), isWrong }
  const page = questionsPage(view, await sceneOf(context, call, view), asked)
  return sendFormPage(reply, { status: isWrong ? 422 : 200, page, origins: [] })
}

type Nobody = { readonly call: LinkCall; readonly reply: FastifyReply }

// The same for an address that never led anywhere and for one that was made up.
export function sendNoLink(context: Context, { call, reply }: Nobody, status = 404): FastifyReply {
  const page = noLinkPage(bareScene(context, call), 'missing')
  return sendFormPage(reply, { status, page, origins: [] })
}

export function sendTooMany(context: Context, { call, reply }: Nobody): FastifyReply {
  const page = noLinkPage(bareScene(context, call), 'slow')
  return sendFormPage(waiting(reply), { status: 429, page, origins: [] })
}

async function sceneOf(context: Context, call: LinkCall, { merchant }: LinkView): Promise<LinkScene> {
  const { accountId: account, merchantNumber } = merchant
  const pictures = await findPictures(context, { account, merchant: merchantNumber })
  return { ...bareScene(context, call), pictures }
}

function bareScene({ keyRing }: Context, { visit: { tongue, address } }: LinkCall): LinkScene {
  const isSandbox = keyRing.mode === 'sandbox'
  return { tongue, assets: formAssets(), pictures: noPictures, isSandbox, address }
}

// How the form behind a link is looked at and paid.
export function doorBehind(context: Context, view: LinkView, visit: LinkVisit, tongue: Tongue): Door {
  return {
    isOpen: view.standing === 'open',
    show: (browser) =>
      view.isAnswered ? showFormOf(context, view, { ...visit, browser }) : Promise.resolve(null),
    pay: (payment) => payLink(context, view, { visit, payment }),
    added: (form) => addedTo(context, view, { form, tongue }),
  }
}

type Shown = { readonly form: FormView; readonly tongue: Tongue }

async function addedTo(context: Context, view: LinkView, { form, tongue }: Shown): Promise<Added> {
  const { link, merchant } = view
  const about = aboutLink(view, tongue, textFactsOf(context, link, merchant, tongue))
  const { onFile } = await extrasOf(context, view)
  if (!onFile || !link.amount) return { about, onFile: null, onFileQuote: null }
  const { brand, expiry } = onFile
  const isAsked = formOptions(form.form).fields.amount === 'asked'
  const price = priceOf(link.amount, { merchant, today: factsOf(form).today, card: onFile, asked: null })
  return {
    about,
    onFile: {
      name: meansWords(onFile, tongue),
      expiry: fill(linkWords[tongue.language].expires_card, { expiry: printExpiry(expiry) }),
      isAmex: brand === 'AE',
    },
    onFileQuote: isAsked ? null : quoteToSend(price, tongue),
  }
}
