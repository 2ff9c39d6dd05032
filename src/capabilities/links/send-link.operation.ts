import { linkAddress } from '#capabilities/links/link-code.operation.ts'
import { letterOf } from '#capabilities/links/link-letter.ts'
import {
  fillBody,
  short,
  subjectOf,
  textOf,
  type TextFacts,
  type WordFacts,
} from '#capabilities/links/link-text.ts'
import type { Link } from '#capabilities/links/link.ts'
import { optionsOf } from '#capabilities/forms/form-options.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { linkMark } from '#capabilities/messages/link-mark.ts'
import { mailOf } from '#capabilities/messages/mail.page.ts'
import type { NewMessage } from '#capabilities/messages/message.ts'
import { dateWords, moneyWords, timeWords } from '#capabilities/payer-words/tongue.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { ok, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'keyRing'> & Pick<FormNeeds, 'publicAddress'>

export type Told = Pick<
  Link,
  | 'linkId'
  | 'accountId'
  | 'merchantNumber'
  | 'sending'
  | 'recipient'
  | 'body'
  | 'amount'
  | 'dueOn'
  | 'expiresAt'
  | 'clientRef'
  | 'masks'
>

// Which language a payer reads is not known before the page is opened.
const american = { locale: 'en-US' }

export function textFactsOf(
  needs: Needs,
  link: Pick<Told, 'linkId' | 'amount' | 'dueOn' | 'expiresAt'>,
  merchant: Pick<Merchant, 'name' | 'timeZone'>,
  tongue = american,
): TextFacts {
  return { ...wordFactsOf(link, merchant, tongue), link: linkAddress(needs, link) }
}

export function wordFactsOf(
  link: Pick<Told, 'amount' | 'dueOn' | 'expiresAt'>,
  merchant: Pick<Merchant, 'name' | 'timeZone'>,
  tongue = american,
): WordFacts {
  return {
    merchant: merchant.name,
    amount: link.amount ? moneyWords(link.amount, tongue) : '',
    dueOn: link.dueOn ? dateWords(link.dueOn, tongue) : '',
    expiresAt: timeWords(link.expiresAt, merchant.timeZone, tongue),
  }
}

type Telling = {
  readonly link: Told
  readonly merchant: Merchant
  // Of the merchant.
  readonly phone: string
  readonly at: Temporal.Instant
  // What the caller calls the merchant's words.
  readonly named: string
}

// The message that brings a link to its payer; null where the merchant's system does that itself.
export function messageOf(
  needs: Needs,
  { link, merchant, phone, at, named }: Telling,
): Result<NewMessage | null, 'value_out_of_range'> {
  const { accountId, merchantNumber, sending, recipient, body, linkId, clientRef, masks } = link
  if (sending === 'none') return ok(null)
  const facts = textFactsOf(needs, link, merchant)
  const isSandbox = needs.keyRing.mode === 'sandbox'
  const about = { accountId, merchantNumber, recipient, purpose: 'link', linkId, at } as const
  if (sending === 'email') {
    const words = short({ body: fillBody(body, facts), named })
    if (!words.ok) return words
    const reference = optionsOf(masks).fields.clientRef === 'hidden' ? '' : clientRef
    const mail = mailOf(letterOf(body, facts, { merchant, phone, reference, isSandbox }))
    return ok({ ...about, ...marked(mail, facts), channel: 'email', subject: subjectOf(facts) })
  }
  const text = textOf(sending, { body, named }, facts)
  if (!text.ok) return text
  const words = isSandbox ? `${text.value}${testMark}` : text.value
  return ok({ ...about, channel: 'text', subject: '', ...marked({ text: words, html: null }, facts) })
}

// Without the code of the link, which is stored nowhere.
function marked({ text, html }: Pick<NewMessage, 'text' | 'html'>, { link }: TextFacts) {
  return { text: text.replaceAll(link, linkMark), html: html?.replaceAll(link, linkMark) ?? null }
}

const testMark = ' (Test, no money moves)'
