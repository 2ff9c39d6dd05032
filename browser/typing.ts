import { brandOf } from './card-brands.ts'
import { digitsOf, find, words } from './page-facts.ts'

// The caret stays behind the digit it stood behind.
export function regroup(box: HTMLInputElement, group: (digits: string) => string): void {
  const caret = box.selectionStart ?? box.value.length
  const before = digitsOf(box.value.slice(0, caret)).length
  const text = group(digitsOf(box.value))
  if (text === box.value) return
  box.value = text
  let at = 0
  for (let seen = 0; at < text.length && seen < before; at += 1) if (/\d/.test(text[at] ?? '')) seen += 1
  if (caret >= text.length || before === digitsOf(text).length) at = text.length
  box.setSelectionRange(at, at)
}

export function groupNumber(digits: string): string {
  const cut = digits.slice(0, 19)
  const brand = brandOf(cut)
  if (brand === 'AE' || brand === 'DC') return cut.replace(/^(\d{4})(\d{1,6})?(\d+)?$/, '$1 $2 $3').trim()
  return cut.replace(/(\d{4})(?=\d)/g, '$1 ')
}

// Beside more of them the box has no room for a drawing.
const usualDigits = 16

export function showBrand(digits: string): void {
  const brand = brandOf(digits)
  const drawing = document.querySelector('#brand')
  drawing?.setAttribute('href', `#i-${brand === '' ? 'card' : brand}`)
  drawing?.closest('.field')?.classList.toggle('long', digits.length > usualDigits)
  const help = find('h-code')
  const word = words(brand === 'AE' ? 'code_help_four' : 'code_help_three')
  if (help && help.textContent !== word) help.textContent = word
}
