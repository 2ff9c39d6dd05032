import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { FormMasks } from '#capabilities/forms/form-options.ts'
import type { FormPayer } from '#capabilities/forms/form.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, ApiUserId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type LinkId = Branded<bigint, 'LinkId'>

// paying and paid are for links that are paid once; a link for many payments stays open.
export type LinkState = 'open' | 'paying' | 'paid' | 'withdrawn' | 'expired'

// text: our own words, or the merchant's with link and expiry behind them. sms: the merchant's words alone.
// none: the merchant's system brings the link to the payer itself.
export type LinkSending = 'text' | 'sms' | 'email' | 'none'

export type Question = { readonly question: string; readonly answerDigest: string }

type LinkTerms = {
  readonly linkId: LinkId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly userId: ApiUserId
  readonly isSingleUse: boolean
  readonly sending: LinkSending
  readonly recipient: string
  readonly body: string
  // null where nothing is paid.
  readonly amount: Money | null
  readonly currency: Currency
  readonly masks: FormMasks
  readonly colors: string
  readonly redirectUrl: string
  readonly keyIndex: string
  readonly clientRef: string
  readonly guid: string
  readonly payer: FormPayer
  readonly dueOn: Temporal.PlainDate | null
  readonly consentId: ConsentId | null
  readonly questions: readonly Question[]
  readonly createdAt: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

export type NewLink = LinkTerms & { readonly codeDigest: Buffer; readonly sentAt: Temporal.Instant | null }

// A link as its row tells it.
export type Link = LinkTerms & {
  readonly state: LinkState
  readonly wrongAnswers: number
  // Too many cards were tried.
  readonly isLocked: boolean
  // How often it began anew after that.
  readonly rounds: number
  readonly payments: number
  readonly transactionId: bigint | null
  readonly sentAt: Temporal.Instant | null
  readonly openedAt: Temporal.Instant | null
  readonly paidAt: Temporal.Instant | null
  readonly endedAt: Temporal.Instant | null
  // Until when a payer may come back from the bank; null where nobody went there.
  readonly heldUntil: Temporal.Instant | null
  // What the merchant record says about its forms.
  readonly phone: string
  // Card networks that are taken; empty: all.
  readonly brands: readonly CardBrand[]
  readonly isAccountOpen: boolean
}

export const defaultDays = 30
// Against slips of the keyboard: a year 9999.
export const yearsAheadMax = 100
export const answersMax = 5

export type LinkStanding = LinkState | 'locked' | 'closed'

// What is true of a link at this moment. Its row learns of its expiry a little later.
export function standingOf(link: Link, now: Temporal.Instant): LinkStanding {
  const { state, expiresAt, isSingleUse, isAccountOpen } = link
  if (state !== 'open') return state
  // Nobody is to ask for the money once more while it may still come.
  if (isHeldAlone(link, now)) return isSingleUse ? 'paying' : 'expired'
  if (Temporal.Instant.compare(expiresAt, now) <= 0) return 'expired'
  if (!isAccountOpen) return 'closed'
  return isTriedOut(link) ? 'locked' : 'open'
}

// Its time is over, but not that of a payer who went to the bank before.
export function isHeldAlone(link: Link, now: Temporal.Instant): boolean {
  const { state, expiresAt, heldUntil, isAccountOpen } = link
  if (state !== 'open' || !isAccountOpen || isTriedOut(link) || heldUntil === null) return false
  return Temporal.Instant.compare(expiresAt, now) <= 0 && Temporal.Instant.compare(heldUntil, now) > 0
}

function isTriedOut({ isLocked, wrongAnswers }: Link): boolean {
  return isLocked || wrongAnswers >= answersMax
}
