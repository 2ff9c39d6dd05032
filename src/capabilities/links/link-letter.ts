import { fillBody, standardWords, type TextFacts } from '#capabilities/links/link-text.ts'
import type { Letter } from '#capabilities/messages/mail.page.ts'

// The link as an e-mail: who asks, for how much, one button, and until when.
export function letterOf(body: string, facts: TextFacts, isSandbox: boolean): Letter {
  const { merchant, amount, link, dueOn, expiresAt } = facts
  const saves = amount === ''
  const words = body === '' ? standardWords(facts) : fillBody(body, facts)
  const lines = [
    { label: 'Due', value: dueOn },
    { label: 'Link expires', value: expiresAt },
  ]
  return {
    merchantName: merchant,
    title: saves ? 'Save a card' : 'Please pay',
    amount: saves ? null : amount,
    paragraphs: [words],
    facts: lines.filter(({ value }) => value !== ''),
    button: { label: saves ? 'Save a card' : `Pay ${amount}`, href: link },
    footer: [`${merchant} asked us to send you this. If you do not know them, do nothing.`],
    isSandbox,
  }
}
