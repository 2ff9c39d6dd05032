import type { FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { declineWords, type DeclineWords } from '#capabilities/form-pages/decline-words.ts'
import { quoteForm } from '#capabilities/form-payments/quote-form.operation.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import { quoteToSend, sendJson } from '#transport/browser/form-answers.ts'
import type { Visit } from '#transport/browser/form-visit.ts'

// What the script asks while somebody types, on a form and behind a link.

type Asked = { readonly visit: Visit; readonly view: FormView | null; readonly reply: FastifyReply }

export function sendQuote(context: Context, { visit, view, reply }: Asked): FastifyReply {
  const { sent, tongue } = visit
  const typed = { number: sent.get('number') ?? '', amount: sent.get('amount') ?? '' }
  const quote = view && quoteForm(context, view, typed)
  return sendJson(reply, quote && quoteToSend(quote, tongue))
}

type FormState = {
  readonly standing: string
  readonly k: string
  readonly secondsLeft: number
  readonly isExtended: boolean
  // What the newest try was answered, for a page that has not heard it; null where it was not declined.
  readonly declined: DeclineWords | null
}

export function stateOf(view: FormView, { words }: Tongue): FormState {
  const { standing, pageKey, form, merchant, now, decline } = view
  const declined = decline && declineWords(decline, merchant, words)
  const secondsLeft = Math.floor(form.expiresAt.since(now).total('seconds'))
  return { standing, k: pageKey, secondsLeft, isExtended: form.isExtended, declined }
}

// Of what cannot be paid any more, or never could.
export function overState(standing: string): FormState {
  return { standing, k: '', secondsLeft: 0, isExtended: true, declined: null }
}
