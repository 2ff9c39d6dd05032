import { cardBrandOf } from '#kernel/card-brand.ts'
import { passesLuhn } from '#kernel/luhn.ts'

// Card numbers in texts: 13 to 19 digits with a known prefix and a right check digit. Blanks and dashes may
// stand between the digits, and a letter or a digit on either side means that it is another number.

const lengthMin = 13
const lengthMax = 19
// Line breaks are not blanks here: numbers in two lines are two numbers. Characters without a width are.
const between = '[\\t\\p{Zs}\\p{Pd}\\u2212\\u00ad\\u200b-\\u200f\\u2060\\ufeff]{0,3}'
const enoughDigits = new RegExp(`\\d(?:${between}\\d){${lengthMin - 1}}`, 'u')
const digitRuns = new RegExp(`\\d(?:${between}\\d){${lengthMin - 1},}`, 'gu')
const letter = /\p{L}/u
// Of 100,000 random GUIDs one holds groups of digits that would pass for a card number.
const guids = /(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f])/gi

export function holdsCardNumber(text: string, digitsMin = lengthMin): boolean {
  return mayHold(text) && stretchesIn(text, digitsMin).length > 0
}

// With the last four digits of each card number only.
export function maskCardNumbers(text: string): string {
  if (!mayHold(text)) return text
  let masked = ''
  let at = 0
  for (const { from, to, lastFour } of stretchesIn(text)) {
    masked += `${text.slice(at, from)}[card ${lastFour}]`
    at = to
  }
  return masked + text.slice(at)
}

// Few texts are that long or have so many digits in a row.
function mayHold(text: string): boolean {
  return text.length >= lengthMin && enoughDigits.test(text)
}

type Stretch = { readonly from: number; readonly to: number; readonly lastFour: string }
type Group = { readonly from: number; readonly digits: string }

function stretchesIn(text: string, digitsMin = lengthMin): readonly Stretch[] {
  const plain = text.replace(guids, (guid) => '_'.repeat(guid.length))
  return [...plain.matchAll(digitRuns)].flatMap(({ 0: run, index }) => {
    const groups = [...run.matchAll(/\d+/g)].map((group) => ({
      from: index + group.index,
      digits: group[0],
    }))
    const end = index + run.length
    const isGluedBefore = letter.test(Array.from(plain.slice(Math.max(0, index - 2), index)).at(-1) ?? '')
    const isGluedBehind = letter.test(Array.from(plain.slice(end, end + 2)).at(0) ?? '')
    return cardsAmong(groups.slice(isGluedBefore ? 1 : 0, isGluedBehind ? -1 : undefined), digitsMin)
  })
}

// A security code, an expiry date or another number may stand beside a card number.
function cardsAmong(groups: readonly Group[], digitsMin: number): readonly Stretch[] {
  const found: Stretch[] = []
  for (let at = 0; at < groups.length; at += 1) {
    let digits = ''
    for (let last = at; last < groups.length && digits.length < lengthMax; last += 1) {
      const group = groups[last]
      if (!group) break
      digits += group.digits
      if (digits.length < digitsMin || !isCardNumber(digits)) continue
      found.push({
        from: groups[at]?.from ?? group.from,
        to: group.from + group.digits.length,
        lastFour: digits.slice(-4),
      })
      at = last
      break
    }
  }
  return found
}

function isCardNumber(digits: string): boolean {
  const isLong = digits.length >= lengthMin && digits.length <= lengthMax
  return isLong && cardBrandOf(digits) !== '' && passesLuhn(digits)
}
