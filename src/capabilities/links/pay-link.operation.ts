import type { PayNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import { takePlanned } from '#capabilities/form-payments/form-on-demand.operation.ts'
import { type PayAnswer, payForm, type PayWish } from '#capabilities/form-payments/pay-form.operation.ts'
import { letGo } from '#capabilities/links/link-life.store.ts'
import { isHeldAlone } from '#capabilities/links/link.ts'
import {
  extrasOf,
  type LinkNeeds,
  type LinkView,
  type LinkVisit,
  plannedForm,
} from '#capabilities/links/show-link.operation.ts'

type Payment = Omit<PayWish, 'token' | 'extras'>

// Somebody pressed the button on the page behind a link. What is paid is a form like any other; the link
// itself is taken in the same commit, before anything is sent.
export async function payLink(
  needs: LinkNeeds & PayNeeds,
  view: LinkView,
  { visit, payment }: { readonly visit: LinkVisit; readonly payment: Payment },
): Promise<PayAnswer> {
  const { link, merchant, now } = view
  // Whoever went to the bank in time may come back, and begins nothing anew.
  const isOpen = view.standing === 'open' || (payment.sent.has('challenge') && isHeldAlone(link, now))
  if (!isOpen || !view.isAnswered) return { kind: 'stale' }
  const planned = plannedForm(needs, view, visit.number)
  const sent = await takePlanned(needs, planned, payment.sent)
  const extras = await extrasOf(needs, view)
  const answer = await payForm(needs, { ...payment, sent, token: planned.token, extras })
  // Nobody is at the bank any more.
  if (merchant.isInternational && answer.kind === 'declined') await letGo(needs.db, link.linkId)
  // Nobody has pressed the button of a page of ours yet.
  return answer.kind === 'no_form' ? { kind: 'stale' } : answer
}
