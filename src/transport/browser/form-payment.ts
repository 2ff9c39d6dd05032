import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { fill, moneyWords, type Words } from '#capabilities/payer-words/tongue.ts'
import type { Load } from '#capabilities/wire/contract.ts'
import { bankCheckPage } from '#capabilities/form-pages/bank-check.page.ts'
import { declineWords } from '#capabilities/form-pages/decline-words.ts'
import { reviewPage } from '#capabilities/form-pages/form-ends.page.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { formShell } from '#capabilities/form-pages/form-shell.page.ts'
import { problemWords } from '#capabilities/form-pages/problem-words.ts'
import { payForm, type PayAnswer, type PayWish } from '#capabilities/form-payments/pay-form.operation.ts'
import { type Added, shellOf } from '#capabilities/form-pages/form-scene.page.ts'
import { sealFields, unsealFields } from '#capabilities/form-payments/sealed-fields.operation.ts'
import type { SentFields } from '#capabilities/form-payments/read-submission.ts'
import { type FormView, showForm } from '#capabilities/form-payments/show-form.operation.ts'
import type { Secret } from '#kernel/secret.ts'
import {
  quoteToSend,
  sceneOf,
  sendForm,
  sendFormPage,
  sendJson,
  sendMissing,
} from '#transport/browser/form-answers.ts'
import { newBrowser, type Visit } from '#transport/browser/form-visit.ts'
import type { Admission } from '#transport/admission.ts'
import { noteOutcome } from '#transport/outcome-note.ts'

export type PageNeeds = { readonly context: Context; readonly admission: Admission }
type Exchange = { readonly visit: Visit; readonly request: FastifyRequest; readonly reply: FastifyReply }

// What is paid: the form of an address of ours, or the one behind a link.
export type Door = {
  // A link may be over whose form has never been paid.
  readonly isOpen: boolean
  readonly show: (browser: Secret | null) => Promise<FormView | null>
  readonly pay: (wish: Omit<PayWish, 'token'>) => Promise<PayAnswer>
  // What stands on the page beyond the form.
  readonly added?: (view: FormView) => Promise<Added>
}

export function doorTo(context: Context, token: Secret): Door {
  return {
    isOpen: true,
    show: (browser) => showForm(context, { token, browser }),
    pay: (wish) => payForm(context, { ...wish, token }),
  }
}

// Somebody pressed the button: the script, which wants to hear what came of it, or a browser without script,
// which is shown the form as it is afterwards.
export async function answerPayment(
  { context, admission }: PageNeeds,
  exchange: Exchange,
  door: Door | null,
): Promise<FastifyReply> {
  const { visit, request, reply } = exchange
  const before = door && (await door.show(visit.browser))
  if (!door || !before) return sendMissing(context, { visit, reply })
  const browser = visit.browser ?? newBrowser()
  reply.header('set-cookie', visit.cookieFor(browser))
  const sent = sentBy(context, before, visit.sent)
  const wish = { browser, address: visit.ip, tongue: visit.tongue, sent }
  // Whoever comes back from the bank ends what was begun.
  const load = sent.has('challenge') ? 'vital' : 'money'
  const heard = await payAdmitted(admission, load, () => door.pay(wish))
  noteOutcome(request, heard.kind === 'busy' ? 'busy' : null)
  const view = await door.show(browser)
  if (!view) return sendMissing(context, { visit, reply })
  const isOpen = door.isOpen && view.standing === 'open'
  const answer = asSeenNow(heard, { isOpen, isOutdated: sent.get('k') !== view.pageKey })
  return visit.wantsJson
    ? sendJson(reply, told(answer, view, visit))
    : showAfter(context, { visit: await withAdded(door, visit, view), reply, answer, view, sent })
}

type Alert = { readonly title: string; readonly text: string }

// outdated: another page was faster, and yet the form can still be paid.
type Told = PayAnswer | { readonly kind: 'busy' | 'outdated' }

// Another page may be paying or have paid, or it has changed the key of all pages by a try.
function asSeenNow(heard: Told, { isOpen, isOutdated }: { isOpen: boolean; isOutdated: boolean }): Told {
  if (heard.kind === 'busy' && !isOpen) return { kind: 'stale' }
  return heard.kind === 'stale' && isOpen && isOutdated ? { kind: 'outdated' } : heard
}

// Who pays on a page waits for a place like every call, and is turned away before anything was done.
async function payAdmitted(admission: Admission, load: Load, pay: () => Promise<PayAnswer>): Promise<Told> {
  if (!(await admission.enter(load))) return { kind: 'busy' }
  try {
    return await pay()
  } finally {
    admission.leave()
  }
}

async function withAdded({ added }: Door, visit: Visit, view: FormView): Promise<Visit> {
  return added && view.standing === 'open' ? { ...visit, added: await added(view) } : visit
}

// The page that asks once more sends back what was typed before, sealed.
function sentBy(context: Context, { form }: FormView, sent: SentFields): SentFields {
  const opened = unsealFields(context, { owner: form, purpose: 'review' }, sent.get('sealed') ?? '')
  return opened ? new Map([...opened, ...sent]) : sent
}

function told(answer: Told, view: FormView, { tongue, sent }: Visit): object {
  const { words } = tongue
  const k = view.pageKey
  const alert = alertOf(answer, view, words)
  switch (answer.kind) {
    case 'problems': {
      const problems = problemWords(view, tongue, { problems: answer.problems, sent })
      return { kind: 'problems', k, problems: Object.fromEntries(problems) }
    }
    case 'review': {
      const quote = quoteToSend(answer.price, tongue)
      return {
        kind: 'review',
        k,
        quote,
        text: fill(reviewText(quote, words), { fee: quote.fee, total: quote.total }),
      }
    }
    case 'later':
    case 'busy':
      return { kind: 'blocked', k, ...alert }
    case 'outdated':
      return { kind: 'stale', k, ...alert }
    case 'puzzle':
      return { kind: 'puzzle', k, puzzle: answer.puzzle }
    case 'challenge':
      return { kind: 'challenge', k, ...answer.challenge, isAgain: answer.isAgain }
    default:
      return { kind: answer.kind, k, ...alert }
  }
}

// Why the payer was not served, where words are all that there is to show.
function alertOf(answer: Told, { merchant }: FormView, words: Words): Alert | null {
  switch (answer.kind) {
    case 'declined':
      return declineWords(answer.family, merchant, words)
    case 'blocked':
      return { title: words.blocked, text: words.blocked_text }
    case 'later':
      return { title: words.blocked, text: words.later_text }
    case 'busy':
      return { title: words.busy, text: words.busy_text }
    case 'outdated':
      return { title: words.outdated, text: words.outdated_text }
    default:
      return null
  }
}

function reviewText({ hasFee }: { readonly hasFee: boolean }, words: Words): string {
  return hasFee ? words.review_text : words.review_plain
}

type After = {
  readonly visit: Visit
  readonly reply: FastifyReply
  readonly answer: Told
  readonly view: FormView
  readonly sent: SentFields
}

async function showAfter(context: Context, after: After): Promise<FastifyReply> {
  const { visit, reply, answer, view, sent } = after
  const { words } = visit.tongue
  const again = (alert: Alert, problems = new Map()) =>
    sendForm(context, { visit, view, reply, typed: { sent, problems, alert } })
  switch (answer.kind) {
    case 'problems': {
      const count = answer.problems.size
      const title = count === 1 ? words.things_one : fill(words.things, { count: String(count) })
      return again({ title, text: '' }, new Map(answer.problems))
    }
    case 'review':
      return sendReview(context, after, answer)
    case 'puzzle':
      return again({ title: words.blocked, text: words.no_proof })
    case 'challenge': {
      const page = bankCheckPage(view, await sceneOf(context, visit, view), answer)
      return sendFormPage(reply, { status: 200, page, origins: view.form.origins })
    }
    default: {
      const alert = alertOf(answer, view, words)
      // So that a reload does not send it again.
      return alert ? again(alert) : reply.redirect(visit.address, 303)
    }
  }
}

async function sendReview(
  context: Context,
  { visit, reply, view, sent }: After,
  { price }: Extract<PayAnswer, { kind: 'review' }>,
): Promise<FastifyReply> {
  const { tongue } = visit
  const { words } = tongue
  const quote = quoteToSend(price, tongue)
  const hidden = new Map([
    ['k', view.pageKey],
    ['total', quote.minor],
    ['sealed', sealFields(context, { owner: view.form, purpose: 'review' }, sent)],
  ])
  // Who has been here already and did not tick is told so.
  const problem = visit.sent.has('sealed') ? words.agree_missing : ''
  const label = fill(words.agree, { amount: quote.total, merchant: view.merchant.name })
  const isAgreed = !formOptions(view.form).asksToAgree || sent.get('agree') === quote.minor
  const rows = [
    { label: words.subtotal, value: quote.base },
    { label: quote.feeLabel, value: quote.fee },
    { label: words.total, value: quote.total },
  ]
  const main = reviewPage({
    title: words.review,
    text: fill(reviewText(quote, words), { fee: quote.fee, total: quote.total }),
    rows: quote.hasFee ? rows : rows.slice(-1),
    action: visit.address,
    hidden,
    agree: isAgreed ? null : { label, value: quote.minor, problem },
    button: fill(words.pay, { amount: moneyWords(price.total, tongue) }),
    back: { href: visit.address, label: words.review_back },
  })
  const scene = await sceneOf(context, visit, view)
  const page = formShell(shellOf(view, scene, { title: words.review }), main)
  return sendFormPage(reply, { status: 200, page, origins: view.form.origins })
}
