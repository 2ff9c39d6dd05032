import { brandOf, lengthOf, nameOf, passesLuhn } from './card-brands.ts'
import { digitsOf, facts, find, form, input, words } from './page-facts.ts'
import { tellHeight } from './parent-page.ts'
import { postalRule } from './place.ts'

// What is wrong with a field, in words; empty when nothing is.

export const isBank = (): boolean => document.querySelector<HTMLInputElement>('#m-bank')?.checked ?? false

export function numberProblem(text: string): string {
  const digits = digitsOf(text)
  if (digits === '') return words('number_missing')
  if (digits.length < lengthOf(brandOf(digits))) return words('number_short')
  if (!passesLuhn(digits) || digits.length > 19) return words('number_wrong')
  const brand = brandOf(digits)
  const isTaken = brand === '' || !facts.brands?.length || facts.brands.includes(brand)
  return isTaken ? '' : words('brand_not_taken').replace('{brand}', nameOf(brand))
}

type Expiry = { readonly month: number; readonly year: number }

export function readExpiry(text: string): Expiry | null {
  const parts = /^\s*(\d{1,2})\s*[/\-. ]\s*(\d{2}|\d{4})\s*$/.exec(text)
  const digits = digitsOf(text)
  const cut = digits.length === 3 ? 1 : 2
  const [month, year] = parts
    ? [Number(parts[1]), Number(parts[2])]
    : [Number(digits.slice(0, cut)), Number(digits.slice(cut))]
  const isWhole = parts !== null || [3, 4, 6].includes(digits.length)
  return isWhole && month >= 1 && month <= 12 ? { month, year: year < 100 ? 2000 + year : year } : null
}

// 08/27
export function printExpiry({ month, year }: Expiry): string {
  return [month, year % 100].map((part) => String(part).padStart(2, '0')).join('/')
}

function expiryProblem(text: string): string {
  const expiry = readExpiry(text)
  if (!expiry) return words('expiry_form')
  const [year = 0, month = 0] = (facts.today ?? '').split('-').map(Number)
  const isPast = expiry.year < year || (expiry.year === year && expiry.month < month)
  return isPast ? words('expiry_past').replace('{expiry}', printExpiry(expiry)) : ''
}

function codeProblem(text: string): string {
  return codeOfBrand(text, brandOf(digitsOf(input('number')?.value ?? '')) === 'AE')
}

function codeOfBrand(text: string, isAmex: boolean): string {
  const isRight = new RegExp(`^\\d{${isAmex ? 4 : 3}}$`).test(text.trim())
  return isRight ? '' : words(isAmex ? 'code_four' : 'code_three')
}

function routingProblem(text: string): string {
  const digits = digitsOf(text)
  if (digits === '') return words('routing_missing')
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]
  const sum = weights.reduce((total, weight, at) => total + weight * Number(digits[at] ?? 1), 0)
  return digits.length === 9 && sum % 10 === 0 && Number(digits) > 0 ? '' : words('routing_form')
}

function zipProblem(text: string): string {
  if (text.trim() === '') return isBank() ? '' : words('zip_missing')
  const { pattern, example } = postalRule()
  if (new RegExp(`^(?:${pattern})$`, 'iu').test(text.trim())) return ''
  if (example !== '') return words('zip_like').replace('{example}', example)
  return words(pattern.includes('p{') ? 'zip_any_form' : 'zip_form')
}

// 1.234,50 and 1,234.50 are the same; the server reads it in the same way.
export function amountOf(text: string): string | null {
  const plain = text.replace(/[\s$€£]/g, '')
  const decimals = facts.digits ?? 2
  const parts = decimals === 0 ? null : new RegExp(`^(.*)[.,](\\d{1,${decimals}})$`).exec(plain)
  const before = parts?.[1] ?? plain
  if (!parts && /^\d+\.\d+$/.test(before)) return null
  if (!/^(?:\d+|\d{1,3}(?:[.,]\d{3})+)$/.test(before)) return null
  const whole = before.replace(/[.,]/g, '')
  const amount = parts ? `${whole}.${parts[2] ?? ''}` : whole
  return whole.length <= 10 && Number(amount) > 0 ? amount : null
}

const needed =
  (word: string) =>
  (text: string): string =>
    text.trim() === '' ? words(word) : ''
export const checks: Readonly<Record<string, (text: string) => string>> = {
  number: numberProblem,
  expiry: expiryProblem,
  code: codeProblem,
  fileCode: (text) => codeOfBrand(text, facts.amex ?? false),
  routing: routingProblem,
  account: (text) => (/^\d{4,17}$/.test(text.replace(/[ -]/g, '')) ? '' : words('account_form')),
  zip: zipProblem,
  street: needed('street_missing'),
  name: needed('name_missing'),
  firstName: needed('name_missing'),
  lastName: needed('name_missing'),
  email: (text) =>
    text.trim() === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim()) ? '' : words('email_form'),
  amount: (text) => (amountOf(text) ? '' : words('amount_form')),
}

export const isShown = (element: HTMLElement): boolean => element.offsetParent !== null

export function tell(name: string, problem: string): void {
  const box = input(name)
  const error = find(`e-${name}`)
  if (!box || !error) return
  if (problem === '') box.removeAttribute('aria-invalid')
  else box.setAttribute('aria-invalid', 'true')
  const text = error.querySelector('span')
  if (text) text.textContent = problem
  error.hidden = problem === ''
  tellHeight()
}

export function problemsNow(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, check] of Object.entries(checks)) {
    const box = input(name)
    const problem = box && isShown(box) ? check(box.value) : ''
    if (problem !== '') found.set(name, problem)
  }
  for (const [name, word] of [
    ['save', 'save_missing'],
    ['agree', 'agree_missing'],
  ] as const) {
    const box = input(name)
    const isNeeded = name === 'agree' || form?.dataset['saves'] === '1'
    if (box && isNeeded && isShown(box) && !box.checked) found.set(name, words(word))
  }
  return found
}
