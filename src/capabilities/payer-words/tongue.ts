import { type Language, languages } from '#capabilities/payer-words/language.ts'
import { english, type Words } from '#capabilities/payer-words/words-en.ts'
import { spanish } from '#capabilities/payer-words/words-es.ts'
import { french } from '#capabilities/payer-words/words-fr.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import { exponentOf } from '#kernel/currency.ts'
import { type Money, printMoney } from '#kernel/money.ts'

export type { Words }

const catalogues: Readonly<Record<Language, Words>> = { en: english, es: spanish, fr: french }

// How a page speaks: its words, and how it writes sums and dates.
export type Tongue = {
  readonly language: Language
  // As Intl knows it, such as es-MX.
  readonly locale: string
  readonly words: Words
}

// The first language of the browser's list that we speak; a choice on the page goes before it.
export function tongueFor(accepted: string, chosen: string): Tongue {
  const asked = accepted
    .split(',')
    .map((part) => part.split(';')[0]?.trim() ?? '')
    .filter((tag) => /^[a-z]{2}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i.test(tag))
  const wanted = languages.find((one) => one === chosen)
  const tag = asked.find((one) => speaks(one) && (!wanted || one.toLowerCase().startsWith(wanted)))
  const language = wanted ?? (tag ? languageOf(tag) : 'en')
  return { language, locale: tag ?? (language === 'en' ? 'en-US' : language), words: catalogues[language] }
}

function languageOf(tag: string): Language {
  return languages.find((one) => tag.toLowerCase().startsWith(one)) ?? 'en'
}

function speaks(tag: string): boolean {
  return languages.some((one) => tag.toLowerCase().split('-')[0] === one)
}

// Of what has no reader yet: receipts as they are kept.
export const usualTongue = tongueFor('', 'en')

// Times and names of firms may bring the full stop of their sentence: "6:00 a.m.", "Harbour Inc."
export function fill(sentence: string, blanks: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const text = blanks[name] ?? ''
    return text.endsWith('.') ? text : `${text}${stop}`
  })
}

// In the payer's way, with our own number of decimals: Intl's differ for a dozen currencies.
export function moneyWords(money: Money, { locale }: Pick<Tongue, 'locale'>): string {
  const digits = exponentOf(money.currency)
  const style = {
    style: 'currency',
    currency: money.currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  const exact = printMoney(money)
  return new Intl.NumberFormat(locale, style).format(isDecimalText(exact) ? exact : 0)
}

// 275 is "2.75%" in English; other languages keep a blank before the sign.
export function percentWords(basisPoints: number, { language, locale }: Tongue): string {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(basisPoints / 100)
  return language === 'en' ? `${number}%` : `${number}\u00a0%`
}

// What the fee of a payment is called, with its rate where it is a surcharge.
export function feeWords(surchargeBasisPoints: number, tongue: Tongue): string {
  const { words } = tongue
  if (surchargeBasisPoints === 0) return words.fee_line
  return fill(words.fee_line_percent, { percent: percentWords(surchargeBasisPoints, tongue) })
}

function isDecimalText(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text)
}

// "Visa ending 4242". A bank account has no brand.
export function meansWords(
  { brand, lastFour: last }: { readonly brand: CardBrand; readonly lastFour: string },
  { words }: Pick<Tongue, 'words'>,
): string {
  return fill(brand === '' ? words.account_ending : words.ending, { brand: brandNames[brand], last })
}

export function dateWords(date: Temporal.PlainDate, { locale }: Pick<Tongue, 'locale'>): string {
  return date.toLocaleString(locale, { dateStyle: 'medium' })
}

export function timeWords(at: Temporal.Instant, zone: string, { locale }: Pick<Tongue, 'locale'>): string {
  return momentWords(at.toZonedDateTimeISO(zone).toPlainDateTime(), { locale })
}

export function momentWords(local: Temporal.PlainDateTime, { locale }: Pick<Tongue, 'locale'>): string {
  return local.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
}
