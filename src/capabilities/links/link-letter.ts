import { fillBody, standardWords, type TextFacts } from '#capabilities/links/link-text.ts'
import type { Letter } from '#capabilities/messages/mail.page.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

// What an e-mail has room for beyond what a text says.
export type LetterFacts = {
  readonly merchant: Pick<Merchant, 'name' | 'location' | 'address'>
  readonly phone: string
  // The merchant's own, where its page shows it; empty elsewhere.
  readonly reference: string
  readonly isSandbox: boolean
}

// The link as an e-mail: who asks, for what and how much, one button, until when, and where to ask back.
export function letterOf(body: string, facts: TextFacts, more: LetterFacts): Letter {
  const { amount, link, dueOn, expiresAt } = facts
  const { reference, phone, isSandbox } = more
  const { name, location, address } = more.merchant
  const saves = amount === ''
  const words = body === '' ? standardWords(facts) : fillBody(body, facts)
  const lines = [
    { label: 'Reference', value: reference },
    { label: 'Due', value: dueOn },
    { label: 'Link expires', value: expiresAt },
  ]
  return {
    merchantName: name,
    title: saves ? 'Save a card' : 'Please pay',
    amount: saves ? null : amount,
    paragraphs: [words],
    facts: lines.filter(({ value }) => value !== ''),
    button: { label: saves ? 'Save a card' : `Pay ${amount}`, href: link },
    footer: [
      [name, location, address, phone].filter((line) => line !== '').join(', '),
      `${name} asked us to send you this. If you do not know them, do nothing.`,
    ],
    isSandbox,
  }
}
