import {
  collectorOf,
  type ConsentNeeds,
  findConsentOf,
} from '#capabilities/consents/find-consent.operation.ts'
import type { ConsentId } from '#capabilities/consents/consent.ts'
import { type FormColors, printColors } from '#capabilities/forms/form-colors.ts'
import { findPhone } from '#capabilities/forms/find-phone.operation.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { type FormMasks, optionsOf } from '#capabilities/forms/form-options.ts'
import { judgeChecks, type OptionNames } from '#capabilities/forms/init-form.operation.ts'
import { judgeVisitedTarget } from '#capabilities/forms/form-target.operation.ts'
import type { FormPayer } from '#capabilities/forms/form.ts'
import { hasEnabledKey } from '#capabilities/forms/integrator-keys.operation.ts'
import { answerDigest, codeOf, digestOfCode, linkAddress } from '#capabilities/links/link-code.operation.ts'
import { linkEvent } from '#capabilities/links/link-event.ts'
import { type Addressed, recipientOf } from '#capabilities/links/link-recipient.ts'
import { judgeWords, type Wording } from '#capabilities/links/link-text.ts'
import { expiryOf } from '#capabilities/links/link-expiry.ts'
import { insertLink, listLinks, newLinkId } from '#capabilities/links/link.store.ts'
import type { LinkSending, NewLink } from '#capabilities/links/link.ts'
import { masksOr } from '#capabilities/links/link-masks.ts'
import { messageOf, wordFactsOf } from '#capabilities/links/send-link.operation.ts'
import { queueMessage, type QueueRefusal } from '#capabilities/messages/queue-message.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { claimCallKey, findEarlier, releaseCallKey } from '#engine/idempotency/claim-keys.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import { type Ok, ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type LinkNames = OptionNames &
  Addressed['names'] &
  Wording['names'] &
  Readonly<
    Record<'kind' | 'amount' | 'dueOn' | 'expiresOn' | 'redirectUrl' | 'widgetUrl' | 'keyIndex', string>
  >

export type LinkWish = {
  readonly merchant: MerchantNumber
  readonly widget: 'SW' | 'PF' | 'PA'
  readonly sending: LinkSending
  readonly email: string
  readonly phone: string
  readonly body: string
  // null: none was sent.
  readonly amount: AskedAmount | null
  readonly masks: Partial<FormMasks>
  readonly colors: FormColors | null
  readonly dueOn: Temporal.PlainDate | null
  // As it was written: which moment it is depends on the record's zone. Empty for the usual 30 days.
  readonly expiresOn: string
  readonly isSingleUse: boolean
  readonly consentId: ConsentId | null
  readonly questions: readonly { readonly question: string; readonly answer: string }[]
  readonly redirectUrl: string
  readonly widgetUrl: string
  readonly keyIndex: string
  readonly clientRef: string
  readonly guid: string
  readonly payer: FormPayer
  readonly names: LinkNames
}

export type MadeLink = { readonly url: string; readonly sending: LinkSending; readonly recipient: string }

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'merchantReads' | 'keyRing'> &
  Pick<FormNeeds, 'publicAddress'> &
  ConsentNeeds

type WishRefusal =
  | 'value_out_of_range'
  | 'missing_member'
  | 'merchant_not_found'
  | 'form_kind_missing'
  | 'integrator_key_unknown'
  | 'consent_not_found'
  | 'alternate_not_allowed'
  | 'currency_differs'
  | 'invalid_phone'
  | 'invalid_email'
type MakeRefusal = WishRefusal | QueueRefusal | 'key_running'

// Makes a link and sends it. Everything is judged before anything is written, and the message is in the
// outbox before anybody is told that it was sent.
export async function makeLink(
  needs: Needs,
  caller: Caller,
  wish: LinkWish,
): Promise<Result<MadeLink, MakeRefusal>> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, wish.merchant)
  if (!merchant) return refuse('merchant_not_found', { merchant: wish.merchant })
  const judged = await judge(needs, caller, { wish, merchant })
  if (!judged.ok) return judged
  const linkId = await newLinkId(needs.db)
  const { accountId, userId } = caller
  const { sending, body, isSingleUse, keyIndex, clientRef, guid, payer, dueOn, consentId } = wish
  const createdAt = needs.accountClock.now(accountId)
  const link = {
    linkId,
    accountId,
    merchantNumber: merchant.merchantNumber,
    userId,
    codeDigest: digestOfCode(needs, codeOf(needs, { linkId })),
    isSingleUse,
    sending,
    body,
    currency: merchant.currency,
    colors: wish.colors ? printColors(wish.colors) : '',
    keyIndex,
    clientRef,
    guid,
    payer,
    dueOn,
    consentId,
    questions: wish.questions.map(({ question, answer }) => ({
      question,
      answerDigest: answerDigest(needs, { linkId }, answer),
    })),
    createdAt,
    sentAt: sending === 'none' ? null : createdAt,
    ...judged.value,
  }
  return send(needs, caller, { merchant, link, named: wish.names.body })
}

// The same link once more, for a call that is repeated: nothing is sent a second time.
export async function findMadeLink(needs: Needs, caller: Caller): Promise<Ok<MadeLink> | null> {
  const { accountId: account, merchantNumber: merchant, callerKey } = caller
  const earlier = callerKey && (await findEarlier(needs.db, { account, ...callerKey }))
  if (!earlier?.ok || earlier.value?.kind !== 'link') return null
  const any = { account, merchant, codeDigest: null, reference: '', most: 1 }
  const [link] = await listLinks(needs.db, { ...any, link: earlier.value.link })
  return link ? ok({ url: linkAddress(needs, link), sending: link.sending, recipient: link.recipient }) : null
}

type ToSend = { readonly merchant: Merchant; readonly link: NewLink; readonly named: string }

async function send(
  needs: Needs,
  { accountId: account, callerKey }: Caller,
  { merchant, link, named }: ToSend,
): Promise<Result<MadeLink, 'value_out_of_range' | 'key_running' | QueueRefusal>> {
  const { createdAt: at, sending, recipient } = link
  const phone = await findPhone(needs, { account, merchant: merchant.merchantNumber })
  const message = messageOf(needs, { link, merchant, phone, at, named })
  if (!message.ok) return message
  const made = { kind: 'link', link: link.linkId } as const
  const claim = callerKey && { account, callerKey, made }
  return needs.db.inTransaction(async (tx: Tx) => {
    // Somebody else was first in the very same moment, and what it made is found again by the key.
    if (claim && !(await claimCallKey(tx, claim, needs.clock.now()))) return refuse('key_running')
    const queued = message.value && (await queueMessage(tx, message.value))
    if (queued && !queued.ok) {
      if (claim) await releaseCallKey(tx, claim)
      return queued
    }
    await insertLink(tx, link)
    if (message.value) await appendEvents(tx, [linkEvent('link.sent', link, message.value.channel)], at)
    return ok({ url: linkAddress(needs, link), sending, recipient })
  })
}

type Judging = { readonly wish: LinkWish; readonly merchant: Merchant }
type Judged = Pick<NewLink, 'amount' | 'masks' | 'redirectUrl' | 'expiresAt' | 'recipient'>

async function judge(
  needs: Needs,
  caller: Caller,
  { wish, merchant }: Judging,
): Promise<Result<Judged, WishRefusal>> {
  const masks = masksOr(wish.masks, { redirects: wish.redirectUrl !== '' })
  const kind = judgeKind(wish, merchant)
  if (!kind.ok) return kind
  const checks = judgeChecks({ ...wish, masks })
  if (!checks.ok) return checks
  const amount = amountOf(wish, merchant, masks)
  if (!amount.ok) return amount
  const now = needs.accountClock.now(caller.accountId)
  const expiresAt = expiryOf(wish, { now, timeZone: merchant.timeZone })
  if (!expiresAt.ok) return expiresAt
  const recipient = recipientOf(wish, merchant)
  if (!recipient.ok) return recipient
  const told = { amount: amount.value, dueOn: wish.dueOn, expiresAt: expiresAt.value }
  const body = judgeWords(wish, wordFactsOf(told, merchant))
  if (!body.ok) return body
  const elsewhere = await judgeElsewhere(needs, caller, { wish, merchant })
  if (!elsewhere.ok) return elsewhere
  return ok({
    masks,
    amount: amount.value,
    expiresAt: expiresAt.value,
    recipient: recipient.value,
    redirectUrl: elsewhere.value,
  })
}

// What the link refers to beyond itself. Answers the address that payers are sent back to.
async function judgeElsewhere(
  needs: Needs,
  caller: Caller,
  { wish, merchant }: Judging,
): Promise<Result<string, WishRefusal>> {
  const { accountId: account } = caller
  const widget = widgetOf(needs, wish)
  if (!widget.ok) return widget
  const { redirectUrl: url, merchant: number, names } = wish
  const redirect = await judgeVisitedTarget(needs, {
    account,
    merchant: number,
    url,
    member: names.redirectUrl,
  })
  if (!redirect.ok) return redirect
  if (wish.keyIndex !== '' && !(await hasEnabledKey(needs, account, wish.keyIndex)))
    return refuse('integrator_key_unknown', { member: names.keyIndex, index: wish.keyIndex })
  if (wish.consentId === null) return redirect
  const found = await findConsentOf(needs, caller, wish.consentId)
  if (!found.ok) return found
  const collector = collectorOf(caller, found.value, merchant.merchantNumber)
  return collector.ok ? redirect : collector
}

// SW is whatever form the record needs.
function judgeKind(
  { widget: kind, merchant: number, names }: LinkWish,
  { isInternational }: Merchant,
): Result<null, 'form_kind_missing'> {
  const noKind = (problem: string) => refuse('form_kind_missing', { member: names.kind, kind, problem })
  if (kind === 'PF' && isInternational) return noKind(`record ${number} is international and needs PA`)
  if (kind === 'PA' && !isInternational) return noKind(`record ${number} is domestic and needs PF`)
  return ok(null)
}

function amountOf(
  { amount, names }: LinkWish,
  merchant: Merchant,
  masks: FormMasks,
): Result<Money | null, 'value_out_of_range' | 'missing_member'> {
  if (!optionsOf(masks).pays) return ok(null)
  if (!amount) return refuse('missing_member', { problem: `${names.amount} is missing` })
  const asked = askedMoney(amount, merchant.currency)
  if (!asked.ok) return asked
  if (asked.value.minor === 0n) return no(`${names.amount} must be more than 0`)
  return tooMuchAtOnce(asked.value, { most: mostAtOnce(merchant), member: amount.member }) ?? asked
}

// Texts go out under our sender, so they lead to us and nowhere else.
function widgetOf(
  { publicAddress }: Needs,
  { widgetUrl, names }: LinkWish,
): Result<null, 'value_out_of_range'> {
  if (widgetUrl === '') return ok(null)
  const ours = new URL(publicAddress.url).origin
  const isOurs = URL.canParse(widgetUrl) && new URL(widgetUrl).origin === ours
  return isOurs ? ok(null) : no(`${names.widgetUrl} leads elsewhere; leave it empty or name ${ours}`)
}

function no(problem: string) {
  return refuse('value_out_of_range', { problem })
}
