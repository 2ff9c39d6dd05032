import { cardBrandOf } from '#kernel/card-brand.ts'

// The card numbers that provoke an outcome. docs/sandbox.md lists them for people; a test compares the two.

export type CardKind = 'credit' | 'debit' | 'prepaid' | 'unknown'

export type CardRow = {
  // Declines everything with this code.
  readonly declines?: string
  // Passes a verification, declines every amount above 0 with this code.
  readonly declinesAmounts?: string
  // Mastercard's merchant advice code, which goes with the decline.
  readonly advice?: string
  readonly avs?: string
  readonly cvv?: string
  // Two refusals for want of funds, then one approval, and so on.
  readonly refusesTwice?: true
  readonly kind?: CardKind
  // What the payer's bank does when a shop asks it who pays. Other cards take no part in it.
  readonly secure?: 'challenges' | 'recognizes' | 'rejects' | 'is_down'
}

const rows: ReadonlyMap<string, CardRow> = new Map<string, CardRow>([
  ['4000056655665556', { kind: 'debit' }],
  ['5200828282828210', { kind: 'debit' }],
  ['5105105105105100', { kind: 'prepaid' }],
  ['4000000000000002', { declines: '05' }],
  ['4000000000009995', { declines: '51' }],
  ['4000000000009987', { declines: '41' }],
  ['4000000000009979', { declines: '43' }],
  ['4000000000000069', { declines: '54' }],
  ['4000000000000127', { declines: '82', cvv: 'N' }],
  ['4000000000000119', { declines: '96' }],
  ['4000000000000341', { declinesAmounts: '05' }],
  ['4000000000000010', { avs: 'N' }],
  ['4000000000000028', { avs: 'Z' }],
  ['4000000000000036', { avs: 'A' }],
  ['4000000000000044', { avs: 'U' }],
  ['4000000000000101', { cvv: 'N' }],
  ['4000000000003220', { secure: 'challenges' }],
  ['4000008400001629', { secure: 'challenges', declinesAmounts: '05' }],
  ['4000008400001280', { secure: 'challenges', declinesAmounts: '96' }],
  ['4000000000003055', { secure: 'recognizes' }],
  ['4000000000001018', { secure: 'rejects' }],
  ['4000000000001034', { secure: 'is_down' }],
  ['4000000000009235', { declinesAmounts: 'R0' }],
  ['4000000000009243', { declinesAmounts: 'R1' }],
  ['4000000000009250', { declinesAmounts: 'R3' }],
  ['4000000000009268', { refusesTwice: true }],
  ['5454545454545454', { declinesAmounts: '05', advice: '03' }],
  ['5424000000000015', { declinesAmounts: '05', advice: '21' }],
  ['5431111111111111', { declinesAmounts: '51', advice: '27' }],
])

const ordinary: CardRow = {}

export function cardRowOf(number: string): CardRow {
  return rows.get(number) ?? ordinary
}

// The bank knows its debit and prepaid cards by their first six digits, as networks do.
const kindsByFirstSix: ReadonlyMap<string, CardKind> = new Map(
  [...rows].flatMap(([number, { kind }]): [string, CardKind][] => (kind ? [[number.slice(0, 6), kind]] : [])),
)

export function kindOfCard(number: string): CardKind {
  const known = kindsByFirstSix.get(number.slice(0, 6))
  if (known) return known
  return cardBrandOf(number) === '' ? 'unknown' : 'credit'
}
