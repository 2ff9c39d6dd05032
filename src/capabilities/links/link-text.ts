import type { LinkSending } from '#capabilities/links/link.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// What a message tells, in words already. Empty where there is nothing to tell.
export type TextFacts = {
  readonly merchant: string
  readonly amount: string
  readonly link: string
  readonly dueOn: string
  readonly expiresAt: string
}

// The merchant's words, with what the caller calls them.
export type NamedBody = { readonly body: string; readonly named: string }

// What the merchant's words say apart from the link itself.
export type WordFacts = Omit<TextFacts, 'link'>

const placeholders: ReadonlyMap<string, keyof TextFacts> = new Map([
  ['merch1', 'merchant'],
  ['amt', 'amount'],
  ['paylink', 'link'],
  ['dueon', 'dueOn'],
  ['expon', 'expiresAt'],
])
const names = '||Merch1||, ||Amt||, ||PayLink||, ||DueOn|| and ||ExpOn||'

const newForm = /\|\|([A-Za-z0-9]{1,20})\|\|/g
const olderForm = /\*\*(Merch1|Amt|PayLink|DueOn|ExpOn)\*\*/gi

// What phones and mail programs make links of, and a little more: whatever has a scheme, the names of hosts
// with or without a path, and addresses of networks.
const addresses = new RegExp(
  [
    String.raw`[a-z][a-z0-9+.-]*:[/\\]+\S*`,
    String.raw`\b(?:mailto|tel|sms|smsto|javascript|data|intent|market|facetime|whatsapp|skype):\S+`,
    String.raw`(?:[\p{L}\p{N}\p{M}\p{S}_-]+\.)+(?:xn--[a-z0-9-]+|\p{L}{2,})(?:[:/?#]\S*)?`,
    String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?:[:/?#]\S*)?`,
  ].join('|'),
  'giu',
)

// Of a message as it is sent, with the link and what else belongs to it.
const lengthMax = 1_600

// Whether a merchant's own words may be sent under our sender: no placeholder that nobody knows, and no
// address but the link's own. They are judged as they are sent, because placeholders can split an address.
export function judgeBody(body: NamedBody, facts: WordFacts): Result<null, 'value_out_of_range'> {
  const { body: words } = body
  const odd = [...words.matchAll(newForm)].find(([, name = '']) => !placeholders.has(name.toLowerCase()))
  if (odd) return no(body, `has the placeholder ${odd[0]}; there are ${names}`)
  const own = addressesIn(facts.merchant)
  const address = addressesIn(fillBody(words, { ...facts, link: ' ' })).find((one) => !own.includes(one))
  return address === undefined
    ? ok(null)
    : no(body, `holds the address ${address}; only the link itself is sent, by ||PayLink||`)
}

// As programs read them: without what is not to be seen, and with every full stop taken for one.
function addressesIn(text: string): readonly string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replaceAll('\u3002', '.')
  return plain.match(addresses) ?? []
}

export type Wording = {
  readonly sending: LinkSending
  readonly body: string
  // sms: how the caller asks for the sending of that name.
  readonly names: Readonly<Record<'body' | 'sms', string>>
}

export function judgeWords(
  { sending, body, names: { body: named, sms } }: Wording,
  facts: WordFacts,
): Result<null, 'value_out_of_range' | 'missing_member'> {
  if (sending === 'sms' && body === '')
    return refuse('missing_member', { problem: `${named} is missing, and ${sms} sends nothing else` })
  return judgeBody({ body, named }, facts)
}

function no({ named }: Pick<NamedBody, 'named'>, problem: string) {
  return refuse('value_out_of_range', { problem: `${named} ${problem}` })
}

export function fillBody(body: string, facts: TextFacts): string {
  const fill = (all: string, name: string): string => {
    const fact = placeholders.get(name.toLowerCase())
    return fact ? facts[fact] : all
  }
  return body.replace(newForm, fill).replace(olderForm, fill)
}

// The words for the page behind the link, where the link itself would be of no use.
export function wordsOnPage(body: string, facts: TextFacts): string {
  return fillBody(body, { ...facts, link: '' }).trim()
}

// The words of a text, for a phone. Whatever the merchant's words are, the link is in it.
export function textOf(
  sending: 'text' | 'sms',
  { body, named }: NamedBody,
  facts: TextFacts,
): Result<string, 'value_out_of_range'> {
  const words = body === '' ? standardWords(facts) : fillBody(body, facts)
  const withLink = words.includes(facts.link) ? words : `${words} ${facts.link}`
  // So that nobody has to wonder.
  return short({ body: sending === 'sms' ? withLink : `${withLink} Expires ${facts.expiresAt}.`, named })
}

export function short({ body: text, named }: NamedBody): Result<string, 'value_out_of_range'> {
  return text.length <= lengthMax
    ? ok(text)
    : no(
        { named },
        `makes a message of more than ${lengthMax} characters: ` +
          `${text.length} with link, expiry and placeholders filled in`,
      )
}

export function standardWords({ merchant, amount, dueOn }: TextFacts): string {
  if (amount === '') return `${merchant} asks you to save a card.`
  return `${merchant}: please pay ${amount}${dueOn === '' ? '' : ` by ${dueOn}`}.`
}

export function subjectOf({ merchant, amount }: TextFacts): string {
  return amount === '' ? `Save a card with ${merchant}` : `${merchant} asks you to pay ${amount}`
}
