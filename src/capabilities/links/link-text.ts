import { ok, refuse, type Result } from '#kernel/result.ts'

// What a message tells, in words already. Empty where there is nothing to tell.
export type TextFacts = {
  readonly merchant: string
  readonly amount: string
  readonly link: string
  readonly dueOn: string
  readonly expiresAt: string
}

const placeholders: Readonly<Record<string, keyof TextFacts>> = {
  merch1: 'merchant',
  amt: 'amount',
  paylink: 'link',
  dueon: 'dueOn',
  expon: 'expiresAt',
}
const names = '||Merch1||, ||Amt||, ||PayLink||, ||DueOn|| and ||ExpOn||'

const newForm = /\|\|([A-Za-z0-9]{1,20})\|\|/g
const olderForm = /\*\*(Merch1|Amt|PayLink|DueOn|ExpOn)\*\*/gi

// Addresses as phones and mail programs make links of them: with a scheme, with www., or a name with a path.
const addresses = /(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s]*|(?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,}\/[^\s]*/giu

const lengthMax = 1_600

// Whether a merchant's own words may be sent under our sender: no placeholder that nobody knows, and no
// address but the link's own.
export function judgeBody(body: string): Result<null, 'value_out_of_range'> {
  const odd = [...body.matchAll(newForm)].find(([, name = '']) => !(name.toLowerCase() in placeholders))
  if (odd) return no(`has the placeholder ${odd[0]}; there are ${names}`)
  const [address] = body.match(addresses) ?? []
  return address === undefined
    ? ok(null)
    : no(`holds the address ${address}; only the link itself is sent, by ||PayLink||`)
}

function no(problem: string) {
  return refuse('value_out_of_range', { problem: `Msg.MessageBody ${problem}` })
}

export function fillBody(body: string, facts: TextFacts): string {
  const valueOf = (name: string): string => facts[placeholders[name.toLowerCase()] ?? 'merchant']
  return body
    .replace(newForm, (_, name: string) => valueOf(name))
    .replace(olderForm, (_, name: string) => valueOf(name))
}

// The words for the page behind the link, where the link itself would be of no use.
export function wordsOnPage(body: string, facts: TextFacts): string {
  return fillBody(body, { ...facts, link: '' }).trim()
}

// The words of a text, for a phone. Whatever the merchant's words are, the link is in it.
export function textOf(
  sending: 'text' | 'sms',
  body: string,
  facts: TextFacts,
): Result<string, 'value_out_of_range'> {
  const words = body === '' ? standardWords(facts) : fillBody(body, facts)
  const withLink = words.includes(facts.link) ? words : `${words} ${facts.link}`
  // So that nobody has to wonder.
  return short(sending === 'sms' ? withLink : `${withLink} Expires ${facts.expiresAt}.`)
}

export function short(text: string): Result<string, 'value_out_of_range'> {
  return text.length <= lengthMax ? ok(text) : no(`makes a message of more than ${lengthMax} characters`)
}

export function standardWords({ merchant, amount, dueOn }: TextFacts): string {
  if (amount === '') return `${merchant} asks you to save a card.`
  return `${merchant}: please pay ${amount}${dueOn === '' ? '' : ` by ${dueOn}`}.`
}

export function subjectOf({ merchant, amount }: TextFacts): string {
  return amount === '' ? `Save a card with ${merchant}` : `${merchant} asks you to pay ${amount}`
}
