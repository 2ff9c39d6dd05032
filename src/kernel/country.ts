// ISO 3166-1: two letters for each country. What they are called is known to Intl.
export const countryCodes: readonly string[] =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
   BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
   FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
   IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
   ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
   PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
   TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(
    /\s+/,
  )

const known = new Set(countryCodes)

export function isCountryCode(text: string): boolean {
  return known.has(text)
}

const otherNames: Readonly<Record<string, string>> = {
  USA: 'US',
  'UNITED STATES OF AMERICA': 'US',
  UK: 'GB',
  CAN: 'CA',
  GBR: 'GB',
  DEU: 'DE',
  FRA: 'FR',
  ESP: 'ES',
  AUS: 'AU',
  MEX: 'MX',
}
const languages = ['en', 'es', 'fr', 'de']
let byName: ReadonlyMap<string, string> | null = null

// The code of what a caller wrote: DE, Germany, Allemagne, USA. Empty where it is not known.
export function countryFrom(text: string): string {
  const name = text.trim().toUpperCase()
  if (isCountryCode(name)) return name
  byName ??= namesToCodes()
  return byName.get(name) ?? ''
}

function namesToCodes(): ReadonlyMap<string, string> {
  const names = languages.flatMap((language) =>
    countryNames(language).map(({ code, name }) => [name.toUpperCase(), code] as const),
  )
  return new Map([...names, ...Object.entries(otherNames)])
}

export type CountryName = { readonly code: string; readonly name: string }

const listed = new Map<string, readonly CountryName[]>()

// By name, as a reader of that language looks them up.
export function countryNames(language: string): readonly CountryName[] {
  const earlier = listed.get(language)
  if (earlier) return earlier
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const { compare } = new Intl.Collator(language)
  const all = countryCodes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((left, right) => compare(left.name, right.name))
  listed.set(language, all)
  return all
}
