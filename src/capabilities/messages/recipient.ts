import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Who a message goes to, judged before anything is stored.

const phoneLengthMax = 40

// Answers the international form, such as +12125550123. A number without a country's prefix is read as one
// of the given country (two letters; see homeCountry).
export function readPhone(text: string, defaultCountry: string): Result<string, 'invalid_phone'> {
  const typed = text.trim()
  if (typed === '') return noPhone('is missing')
  if (typed.length > phoneLengthMax) return noPhone(`is longer than ${phoneLengthMax} characters`)
  if (!/^\+?[\d\s().\-/]+$/.test(typed)) return noPhone('contains what no phone number contains')
  const country = isSupportedCountry(defaultCountry) ? defaultCountry : 'US'
  const read = parsePhoneNumberFromString(typed, { defaultCountry: country, extract: false })
  if (!read) return noPhone(problemOf(typed, country))
  return read.isValid() ? ok(read.number) : noPhone(problemOf(typed, country))
}

function problemOf(typed: string, country: CountryCode): string {
  switch (validatePhoneNumberLength(typed, country)) {
    case 'TOO_SHORT':
      return 'is too short'
    case 'TOO_LONG':
      return 'is too long'
    case 'INVALID_COUNTRY':
      return 'begins with the prefix of no country'
    default:
      return 'is no number that a phone can have'
  }
}

function noPhone(problem: string) {
  return refuse('invalid_phone', { problem })
}

// Two letters; empty for numbers that belong to no country.
export function countryOfPhone(phone: string): string {
  return parsePhoneNumberFromString(phone)?.country ?? ''
}

export function isCountry(code: string): boolean {
  return isSupportedCountry(code)
}

// Of a merchant record, by its region: CO and empty are the United States, DE-BE is Germany.
export function homeCountry(region: string): string {
  return region.includes('-') ? region.slice(0, 2) : 'US'
}

const emailLengthMax = 254
const localLengthMax = 64
// What stands before the @: the characters of RFC 5322 that need no quotes, no dot at either end or doubled.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

// Answers the one spelling that is stored: the domain in lower case and, where it is no ASCII, as the name
// system writes it. One bare address: no name beside it, no list, nothing that could become a header.
export function readEmail(text: string): Result<string, 'invalid_email'> {
  const typed = text.trim()
  if (typed === '') return noEmail('is missing')
  if (typed.length > emailLengthMax) return noEmail(`is longer than ${emailLengthMax} characters`)
  const at = typed.lastIndexOf('@')
  if (at < 0) return noEmail('has no @')
  const local = typed.slice(0, at)
  if (local.length > localLengthMax) return noEmail(`has more than ${localLengthMax} characters before the @`)
  if (!localPart.test(local)) return noEmail('is not written correctly before the @')
  const domain = domainOf(typed.slice(at + 1))
  if (domain === null) return noEmail('is not written correctly behind the @')
  return ok(`${local}@${domain}`)
}

function domainOf(typed: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(typed)) return null
  const domain = URL.parse(`https://${typed}`)?.hostname ?? ''
  const labels = domain.split('.')
  const isName = labels.length >= 2 && labels.every((label) => domainLabel.test(label))
  // A last label of digits alone is an address of a machine.
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : null
}

function noEmail(problem: string) {
  return refuse('invalid_email', { problem })
}
