import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { type PlannedForm, showPlanned } from '#capabilities/form-payments/form-on-demand.operation.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { cardOnFileOf } from '#capabilities/links/card-on-file.operation.ts'
import { digestOfCode, formTokenOf } from '#capabilities/links/link-code.operation.ts'
import { linkEvent } from '#capabilities/links/link-event.ts'
import { hold, markLocked, markOpened } from '#capabilities/links/link-life.store.ts'
import { linkFollower } from '#capabilities/links/link.follower.ts'
import { findLinkByCode } from '#capabilities/links/link.store.ts'
import { type Link, type LinkStanding, standingOf } from '#capabilities/links/link.ts'
import type { FormExtras } from '#capabilities/form-payments/form-extras.ts'
import type { ConsentNeeds } from '#capabilities/consents/find-consent.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { following } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'

export type LinkNeeds = EngineContext & Pick<FormNeeds, 'publicAddress'> & ConsentNeeds

// Who came, with what.
export type LinkVisit = {
  readonly code: Secret
  readonly browser: Secret | null
  // Given to a browser that has answered the questions.
  readonly proof: string
  // Tells the payments of a link for many apart; empty for one that is paid once.
  readonly number: string
}

// What is true of a link at this moment, for whoever came.
export type LinkView = {
  readonly link: Link
  readonly merchant: Merchant
  readonly standing: LinkStanding
  readonly now: Temporal.Instant
  // There are no questions, or this browser has answered them. Until then nothing else is shown.
  readonly isAnswered: boolean
}

// null: there is no such link.
export async function showLink(needs: LinkNeeds, visit: LinkVisit): Promise<LinkView | null> {
  const link = await findLinkByCode(needs.db, digestOfCode(needs, visit.code))
  if (!link) return null
  const merchants = await listMerchants(needs, link.accountId)
  const merchant = merchantNumbered(merchants, link.merchantNumber)
  assert(merchant, 'a link belongs to a merchant record')
  const now = needs.accountClock.now(link.accountId)
  return { link, merchant, standing: standingOf(link, now), now, isAnswered: isAnswered(needs, link, visit) }
}

function isAnswered(needs: LinkNeeds, link: Link, { browser, proof }: LinkVisit): boolean {
  return link.questions.length === 0 || (browser !== null && proof === proofOf(needs, link, browser))
}

export function proofOf({ keyRing }: Pick<LinkNeeds, 'keyRing'>, { linkId }: Link, browser: Secret): string {
  const proof = keyRing.keyedDigest('link-page', `answered\n${linkId}\n${browser.reveal()}`)
  return proof.toString('hex').slice(0, 32)
}

// Tells once that somebody has opened it. A preview does no more than that.
export async function noteOpening({ db }: Pick<LinkNeeds, 'db'>, { link, now }: LinkView): Promise<void> {
  if (link.openedAt) return
  await db.inTransaction(async (tx) => {
    if (await markOpened(tx, link.linkId, now)) await appendEvents(tx, [linkEvent('link.opened', link)], now)
  })
}

// The form that this visit pays by.
export function plannedForm(
  needs: LinkNeeds,
  { link, merchant, now }: LinkView,
  number: string,
): PlannedForm {
  const { accountId, merchantNumber, userId, amount, currency, masks, colors, redirectUrl } = link
  const { clientRef, guid, keyIndex, payer, expiresAt, phone, brands, isAccountOpen } = link
  return {
    token: formTokenOf(needs, link, link.isSingleUse ? '' : number),
    merchant,
    accountId,
    merchantNumber,
    userId,
    amount,
    fee: null,
    currency,
    masks,
    colors,
    // A link tells by its events.
    postUrl: '',
    redirectUrl,
    clientRef,
    guid,
    keyIndex,
    payer,
    plan: null,
    linkId: link.linkId,
    createdAt: now,
    expiresAt,
    phone,
    brands,
    isAccountOpen,
  }
}

export function showFormOf(needs: LinkNeeds, view: LinkView, visit: LinkVisit): Promise<FormView> {
  return showPlanned(needs, plannedForm(needs, view, visit.number), visit.browser)
}

// What the form is given by its link.
export async function extrasOf(needs: LinkNeeds, view: LinkView): Promise<FormExtras> {
  const { linkId, isSingleUse } = view.link
  const also = [following(linkFollower, linkId, null)]
  return {
    also,
    onFile: await cardOnFileOf(needs, view, also),
    sharedLink: isSingleUse ? null : linkId,
    // A link for many has other visits, whose payers are not locked out by this one.
    onOrder: (tx, visit) => hold(tx, { link: linkId, ...visit }),
    onClosed: async (tx) => (isSingleUse ? markLocked(tx, linkId) : undefined),
  }
}
