import { type CardExpiry, isExpiredOn } from '#kernel/card-expiry.ts'
import { exponentOf } from '#kernel/currency.ts'
import { type Money, printMoney, subtractMoney } from '#kernel/money.ts'
import { type CardRow, cardRowOf } from './card-rows.ts'
import type { Delivery } from './delivery.ts'

// The issuer's mind: pure. Three habits provoke an outcome: by card number, by zip, and by amount.

export type Asked = {
  readonly number: string
  readonly expiry: CardExpiry
  readonly amount: Money
  readonly fee: Money
  readonly hasSecurityCode: boolean
  readonly street: string
  readonly zip: string
}

export type IssuerState = {
  readonly today: Temporal.PlainDate
  // How many times in a row a card that refuses twice has refused.
  readonly refusalsInARow: number
}

export type Decision = {
  readonly outcome: 'approved' | 'declined'
  readonly code: string
  readonly approvedMinor: bigint
  readonly avs: string
  readonly cvv: string
  // What the network adds to a decline about trying again.
  readonly advice: string
  // Names the value that provoked the outcome; empty for an ordinary approval.
  readonly reason: string
  readonly delivery: Partial<Delivery>
  // For the next decision about a card that refuses twice; null for every other card.
  readonly refusalsInARow: number | null
  readonly chargebackAfterDays: number | null
}

type Said = Partial<Decision> & Pick<Decision, 'reason'>

export function decide(asked: Asked, state: IssuerState): Decision {
  const row = cardRowOf(asked.number)
  const said =
    byCardNumber(asked, row, state) ??
    byExpiry(asked, state) ??
    byZip(asked) ??
    byAmount(asked) ??
    byChecks(asked, row)
  const isDeclined = said.outcome === 'declined'
  return {
    outcome: 'approved',
    code: '00',
    approvedMinor: isDeclined ? 0n : asked.amount.minor,
    avs: avsOf(asked, row),
    cvv: asked.hasSecurityCode ? (row.cvv ?? 'M') : '',
    advice: '',
    delivery: {},
    refusalsInARow: null,
    chargebackAfterDays: null,
    ...said,
  }
}

const decline = (code: string, reason: string): Said => ({ outcome: 'declined', code, reason })

function byCardNumber(asked: Asked, row: CardRow, { refusalsInARow }: IssuerState): Said | null {
  const card = `card ending in ${asked.number.slice(-4)}`
  if (row.declines !== undefined) return decline(row.declines, card)
  if (asked.amount.minor === 0n) return null
  if (row.declinesAmounts !== undefined)
    return { ...decline(row.declinesAmounts, card), advice: row.advice ?? '' }
  if (!row.refusesTwice) return null
  return refusalsInARow < 2
    ? { ...decline('51', `${card}, refusal ${refusalsInARow + 1} of 2`), refusalsInARow: refusalsInARow + 1 }
    : { reason: `${card}, refused twice before`, refusalsInARow: 0 }
}

function byExpiry({ expiry }: Asked, { today }: IssuerState): Said | null {
  return isExpiredOn(expiry, today) ? decline('54', 'expiry in the past') : null
}

const zipThatDeclines = '46282'
const avsByZip: ReadonlyMap<string, string> = new Map([
  ['46201', 'A'],
  ['46203', 'E'],
  ['46204', 'G'],
  ['46205', 'N'],
  ['46207', 'R'],
  ['46217', 'Z'],
])

function byZip(asked: Asked): Said | null {
  return fiveDigits(asked.zip) === zipThatDeclines ? decline('05', `zip ${zipThatDeclines}`) : null
}

const codesByCents: ReadonlyMap<bigint, string> = new Map([
  [1n, '01'],
  [2n, '02'],
  [5n, '05'],
  [41n, '41'],
  [51n, '51'],
  [54n, '54'],
  [61n, '61'],
  [65n, '65'],
  [91n, '91'],
])

const deliveriesByCents: ReadonlyMap<bigint, Partial<Delivery>> = new Map<bigint, Partial<Delivery>>([
  [68n, { losesAnswer: true }],
  [69n, { answersAfterMs: 40_000 }],
  [94n, { answersTwice: true }],
  [98n, { losesAnswer: true, inquirySilenceMs: 120_000 }],
])

const magicFromMinor = 990_000n
const magicToMinor = 999_999n

// Only totals in a range that nobody charges by chance, so that ordinary amounts never surprise.
function byAmount({ amount, fee }: Asked): Said | null {
  const isMagic = amount.minor >= magicFromMinor && amount.minor <= magicToMinor
  if (!isMagic || exponentOf(amount.currency) !== 2) return null
  const base = subtractMoney(amount, fee)
  const cents = base.minor % 100n
  const reason = `amount ${printMoney(base)}`
  const code = codesByCents.get(cents)
  if (code !== undefined) return decline(code, reason)
  if (cents === 10n) return { code: '10', approvedMinor: amount.minor / 2n, reason }
  // How it ends, see dispute.ts.
  if (cents === 40n || cents === 42n) return { chargebackAfterDays: 3, reason }
  const delivery = deliveriesByCents.get(cents)
  return delivery ? { delivery, reason } : null
}

// Approved all the same: what the checks are worth is for the merchant to say.
function byChecks(asked: Asked, row: CardRow): Said {
  const isCardChecked = row.avs !== undefined && hasAddress(asked)
  const isCodeChecked = row.cvv !== undefined && asked.hasSecurityCode
  if (isCardChecked || isCodeChecked) return { reason: `card ending in ${asked.number.slice(-4)}` }
  const zip = fiveDigits(asked.zip)
  return { reason: avsByZip.has(zip) ? `zip ${zip}` : '' }
}

function avsOf(asked: Asked, row: CardRow): string {
  if (!hasAddress(asked)) return ''
  if (row.avs !== undefined) return row.avs
  if (asked.zip.trim() === '') return 'A'
  return avsByZip.get(fiveDigits(asked.zip)) ?? 'Y'
}

function hasAddress({ zip, street }: Asked): boolean {
  return zip.trim() !== '' || street.trim() !== ''
}

// 46201-1234 lies in 46201.
function fiveDigits(zip: string): string {
  return zip.trim().slice(0, 5)
}
