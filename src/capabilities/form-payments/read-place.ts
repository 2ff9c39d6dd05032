import type { FormOptions } from '#capabilities/forms/form-options.ts'
import type { FormPayer } from '#capabilities/forms/form.ts'
import { countryFrom, isCountryCode } from '#kernel/country.ts'
import { fitsRule, postalRuleOf } from '#kernel/postal-code.ts'
import { stateFrom, statesOf } from '#kernel/states.ts'

type Fields = FormOptions['fields']
type Place = Pick<FormPayer, 'country' | 'state' | 'zip'>

export type PlaceProblem =
  | 'zip_missing'
  | 'zip_form'
  | 'zip_like'
  | 'zip_any_form'
  | 'country_form'
  | 'state_form'

type Reading = {
  readonly problems: { set(name: string, problem: PlaceProblem): unknown }
  readonly isBank: boolean
  // null: the page did not send that field.
  readonly textOf: (name: string) => string | null
}

// How a postal code looks and whether there are states depends on the country.
export function asksCountry(fields: Fields): boolean {
  return (['street', 'city', 'state', 'zip'] as const).some((name) => fields[name] === 'asked')
}

export function placeOf(payer: Place, fields: Fields, reading: Reading): Place {
  const country = chosenCountry(payer, fields, reading)
  const code = countryFrom(country)
  return {
    country,
    state: fields.state === 'asked' ? chosenState(code, reading) : payer.state,
    zip: fields.zip === 'asked' ? typedZip(code, reading) : payer.zip,
  }
}

// In the merchant's own spelling where the payer left it as it was.
function chosenCountry({ country }: Place, fields: Fields, { problems, textOf }: Reading): string {
  const chosen = asksCountry(fields) ? (textOf('country') ?? '') : ''
  if (chosen === '' || chosen === countryFrom(country)) return country
  if (!isCountryCode(chosen)) problems.set('country', 'country_form')
  return chosen
}

function chosenState(country: string, { problems, textOf }: Reading): string {
  const typed = textOf('state') ?? ''
  if (statesOf(country).length === 0) return textOf('region') ?? typed
  const state = stateFrom(country, typed)
  if (typed !== '' && state === '') problems.set('state', 'state_form')
  return state
}

function typedZip(country: string, { problems, isBank, textOf }: Reading): string {
  const rule = postalRuleOf(country)
  if (!rule) return ''
  const zip = textOf('zip') ?? ''
  if (isBank) return zip
  if (zip === '') problems.set('zip', 'zip_missing')
  else if (!fitsRule(rule, zip))
    problems.set('zip', rule.name === 'zip' ? 'zip_form' : rule.example === '' ? 'zip_any_form' : 'zip_like')
  return zip
}
