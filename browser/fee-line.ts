import { amountOf, isBank, numberProblem, tell } from './field-checks.ts'
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
  type Quote,
  totalField,
  words,
} from './page-facts.ts'
import { tellHeight } from './parent-page.ts'

// The fee is shown as soon as the card is known.
let quotedFor = ''
let typedQuote: Quote | null = null
let onFileQuote: Quote | null = facts.onFile ?? null

const isOnFile = (): boolean => document.querySelector<HTMLInputElement>('#m-onfile')?.checked ?? false

export function setQuote(told: Quote | null): void {
  if (isOnFile()) onFileQuote = told
  else typedQuote = told
}

export function showTotal(): void {
  const quote = isOnFile() ? onFileQuote : typedQuote
  const typed = input('amount')
  const amount = typed ? amountOf(typed.value) : null
  const base = typed ? (amount ? money(amount) : '') : baseText
  const isQuoted = quote !== null && !isBank()
  const total = isQuoted && quote ? quote.total : base
  if (totalField)
    totalField.value = isQuoted && quote ? quote.minor : typed ? (amount ? minorOf(amount) : '0') : baseMinor
  // What a card could still raise is no total yet.
  const isFinal = isQuoted || isBank() || ahead.most === ''
  if (payText) payText.textContent = buttonText(isFinal ? total : '')
  nameInAgreement(total)
  showFee(base, isQuoted ? quote : null)
  tellHeight()
}

function buttonText(total: string): string {
  if (form?.dataset['saves'] === '1') return words('save_button')
  return total === '' ? words('pay_plain') : words('pay').replace('{amount}', total)
}

// What stands there before a card is known, and again when it is not known any more.
const textOf = (id: string): string => find(id)?.textContent ?? ''
const ahead = { label: textOf('fee-label'), most: textOf('fee-fee'), note: textOf('fee-note') }
const unknownSum = '\u2013'

function showFee(base: string, quote: Quote | null): void {
  const hasFee = quote?.hasFee ?? false
  const sum = base === '' ? unknownSum : base
  const total = base === '' || ahead.most === '' ? sum : words('total_from').replace('{total}', base)
  const included = words('fee_included').replace('{fee}', quote?.fee ?? '')
  const note = hasFee ? included : quote || isBank() ? words('no_fee') : ahead.note
  for (const [id, text] of [
    ['fee-base', quote?.base ?? sum],
    ['fee-label', quote?.feeLabel ?? ahead.label],
    ['fee-fee', quote?.fee ?? ahead.most],
    ['fee-total', quote?.total ?? total],
    ['fee-note', note],
  ] as const) {
    const cell = find(id)
    // What stays is not announced anew.
    if (cell && cell.textContent !== text) cell.textContent = text
  }
  const canCost = ahead.most !== '' || hasFee
  find('fee-line')?.toggleAttribute('hidden', !canCost)
  find('fee-note')?.toggleAttribute('hidden', !canCost)
  find('to-bank')?.classList.toggle('unseen', quote !== null && !hasFee)
}

// The words beside the tick name the total that is charged. Whoever has ticked others ticks anew.
function nameInAgreement(total: string): void {
  const tick = input('agree')
  const label = tick?.nextElementSibling
  if (!tick || !label || !totalField) return
  label.textContent = words('agree').replace('{amount}', total === '' ? words('the_amount') : total)
  if (tick.value === totalField.value) return
  tick.value = totalField.value
  if (tick.checked) tell('agree', words('review'))
  tick.checked = false
}

export async function askFee(): Promise<void> {
  const number = digitsOf(input('number')?.value ?? '')
  const typed = input('amount')
  const amount = typed ? (amountOf(typed.value) ?? '') : ''
  const isWhole = numberProblem(number) === '' && (!typed || amount !== '')
  const key = `${number} ${amount}`
  if (!isWhole) {
    typedQuote = null
    quotedFor = ''
  }
  if (isWhole && facts.fee && key !== quotedFor) {
    quotedFor = key
    const told = await feeOf(post(facts.fee, new URLSearchParams({ number, amount })))
    if (quotedFor === key) {
      typedQuote = told ?? null
      if (told === undefined) quotedFor = ''
    }
  }
  showTotal()
}

// undefined: nobody who knows has answered, so it can be asked again.
async function feeOf(asking: Promise<Response>): Promise<Quote | null | undefined> {
  try {
    const answer = await asking
    return answer.ok ? await answer.json() : undefined
  } catch {
    return undefined
  }
}
