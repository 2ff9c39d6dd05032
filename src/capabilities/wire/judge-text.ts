import { holdsCardNumber } from '#kernel/card-in-text.ts'
import { directionMarks } from '#kernel/direction-marks.ts'

// The keywords of a text that decide what it may hold.
export type TextRules = {
  readonly 'x-lines'?: boolean
  readonly 'x-email'?: boolean
  readonly 'x-phone'?: boolean
  readonly 'x-card-numbers'?: string
}

// Members by their paths, and problems in words.
export type TextFaults = {
  readonly characters: string[]
  readonly problems: string[]
  // Members that hold a card number, which their merchant record may allow.
  readonly cardLike: Set<string>
}

// No more than that it could be one: only a message that arrives proves an address.
const emailAddress = /^[^\s@<>,;]+@[^\s@<>,;]+$/
// So many digits, in whatever way they are written; an extension may follow in words.
const phoneNumber = /^\D*(?:\d\D*){1,16}$/
// Control characters, and halves of a character that has two, which no database takes.
const noText = /[\p{Cc}\p{Cs}]/u
const noTextInLines = /[^\P{Cc}\n\t]|\p{Cs}/u
const phoneDigitsMax = 15

export function judgeText(rules: TextRules, text: string, path: string, found: TextFaults): void {
  const forbidden = rules['x-lines'] ? noTextInLines : noText
  if (forbidden.test(text) || directionMarks.test(text)) found.characters.push(path)
  judgeCardNumbers(rules, text, path, found)
  if (rules['x-email'] && !emailAddress.test(text)) found.problems.push(`${path} is no e-mail address`)
  if (rules['x-phone'] && !phoneNumber.test(text))
    found.problems.push(`${path} is no phone number: it has 1 to 16 digits`)
}

function judgeCardNumbers(rules: TextRules, text: string, path: string, found: TextFaults): void {
  const exception = rules['x-card-numbers']
  if (exception === 'allowed') return
  if (!holdsCardNumber(text, exception === 'over-15-digits' ? phoneDigitsMax + 1 : undefined)) return
  if (exception === 'by-record') found.cardLike.add(path)
  else found.problems.push(cardNumberProblem(path))
}

// Names the member and never repeats the number.
export function cardNumberProblem(member: string): string {
  return `${member} contains a card number, which belongs in AccountNumber only`
}
