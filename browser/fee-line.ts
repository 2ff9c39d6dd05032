import { amountOf, isBank, numberProblem } from './field-checks.ts'
import {
  baseMinor,
  baseText,
  digitsOf,
  facts,
  find,
  form,
  input,
  minorOf,
  money,
  payText,
  post,
  totalField,
  words,
} from './page-facts.ts'
import { tellHeight } from './parent-page.ts'

// The fee is shown as soon as the card is known.
export type Quote = {
  readonly base: string
  readonly fee: string
  readonly total: string
  readonly minor: string
  readonly hasFee: boolean
}
let quotedFor = ''
let quote: Quote | null = null

export function setQuote(told: Quote | null): void {
  quote = told
}

export function showTotal(): void {
  const typed = input('amount')
  const amount = typed ? amountOf(typed.value) : null
  const base = typed ? (amount ? money(amount) : '') : baseText
  const isQuoted = quote !== null && !isBank()
  const total = isQuoted && quote ? quote.total : base
  if (totalField)
    totalField.value = isQuoted && quote ? quote.minor : typed ? (amount ? minorOf(amount) : '0') : baseMinor
  if (payText && form?.dataset['saves'] !== '1')
    payText.textContent = total === '' ? words('pay_plain') : words('pay').replace('{amount}', total)
  const lines = find('fee-lines')
  const hasFee = isQuoted && (quote?.hasFee ?? false)
  if (!lines) return
  lines.hidden = !isQuoted
  for (const [id, text] of [
    ['fee-base', quote?.base],
    ['fee-fee', quote?.fee],
    ['fee-total', quote?.total],
  ] as const) {
    const cell = find(id)
    if (cell) cell.textContent = text ?? ''
  }
  find('fee-ahead')?.toggleAttribute('hidden', isQuoted)
  find('to-bank')?.toggleAttribute('hidden', !hasFee)
  tellHeight()
}

export async function askFee(): Promise<void> {
  const number = digitsOf(input('number')?.value ?? '')
  const typed = input('amount')
  const amount = typed ? (amountOf(typed.value) ?? '') : ''
  const isWhole = numberProblem(number) === '' && (!typed || amount !== '')
  const key = `${number} ${amount}`
  if (!isWhole) {
    quote = null
    quotedFor = ''
  }
  if (isWhole && facts.fee && key !== quotedFor) {
    quotedFor = key
    const answer = await post(facts.fee, new URLSearchParams({ number, amount })).catch(() => null)
    const told: Quote | null = answer ? await answer.json() : null
    if (quotedFor === key) quote = told
  }
  showTotal()
}
