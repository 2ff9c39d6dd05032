// How postal codes look, by country: what a page asks for and what the server takes.

export type PostalRule = {
  readonly name: 'zip' | 'postal' | 'postcode'
  // Of a regular expression that ignores case; the whole code.
  readonly pattern: string
  // Empty where any of them would mislead.
  readonly example: string
}

const zip = { name: 'zip', pattern: String.raw`\d{5}(?:-?\d{4})?`, example: '' } as const

function postal(pattern: string, example: string): PostalRule {
  return { name: 'postal', pattern, example }
}

function postcode(pattern: string, example: string): PostalRule {
  return { name: 'postcode', pattern, example }
}

const fiveDigits = String.raw`\d{5}`
const fourDigits = String.raw`\d{4}`
const british = postcode(String.raw`[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}`, 'SW1A 1AA')

const rules: Readonly<Record<string, PostalRule>> = {
  ...Object.fromEntries(['US', 'AS', 'GU', 'MP', 'PR', 'VI'].map((code) => [code, zip])),
  ...Object.fromEntries(['GB', 'GG', 'IM', 'JE'].map((code) => [code, british])),
  AT: postal(fourDigits, '1010'),
  AU: postcode(fourDigits, '2000'),
  BE: postal(fourDigits, '1000'),
  BR: postal(String.raw`\d{5}-?\d{3}`, '01310-100'),
  CA: postal(String.raw`[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d`, 'K1A 0B1'),
  CH: postal(fourDigits, '3003'),
  DE: postal(fiveDigits, '10115'),
  DK: postal(fourDigits, '1050'),
  ES: postal(fiveDigits, '28013'),
  FI: postal(fiveDigits, '00100'),
  FR: postal(fiveDigits, '75001'),
  IE: postal(String.raw`[A-Z]\d[\dW] ?[A-Z\d]{4}`, 'D02 AF30'),
  IN: postal(String.raw`\d{3} ?\d{3}`, '110001'),
  IT: postal(fiveDigits, '00118'),
  JP: postal(String.raw`\d{3}-?\d{4}`, '100-0001'),
  LU: postal(fourDigits, '1009'),
  MX: postal(fiveDigits, '06000'),
  NL: postal(String.raw`\d{4} ?[A-Z]{2}`, '1012 JS'),
  NO: postal(fourDigits, '0150'),
  NZ: postcode(fourDigits, '6011'),
  PL: postal(String.raw`\d{2}-?\d{3}`, '00-001'),
  PT: postal(String.raw`\d{4}-?\d{3}`, '1000-001'),
  SE: postal(String.raw`\d{3} ?\d{2}`, '111 20'),
}

// 3 to 10 letters and digits, with blanks or dashes between them.
const usual = postal(String.raw`[\p{L}\d](?:[\p{L}\d]|[ -](?! |-)){1,8}[\p{L}\d]`, '')

const without = new Set(
  `AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK KI KM KN KP ML MO
   MR MW NR NU QA SB SC SL SR ST SX SY TD TG TL TO TV UG VU YE ZW`.split(/\s+/),
)

// null: there are no postal codes. Of a country that is not known (empty) any may come.
export function postalRuleOf(country: string): PostalRule | null {
  return without.has(country) ? null : (rules[country] ?? usual)
}

// Those with a look of their own, and under the empty code that of all others.
export const postalRules: Readonly<Record<string, PostalRule>> = { '': usual, ...rules }

export function fitsRule({ pattern }: PostalRule, code: string): boolean {
  return new RegExp(`^(?:${pattern})$`, 'iu').test(code)
}
