import { selectOf } from '#capabilities/form-pages/form-fields.page.ts'
import { field, type PayPage } from '#capabilities/form-pages/form-parts.page.ts'
import { asksCountry } from '#capabilities/form-payments/read-place.ts'
import type { Words } from '#capabilities/payer-words/tongue.ts'
import { countryNames } from '#kernel/country.ts'
import { type Html, html } from '#kernel/html.ts'
import { postalRuleOf } from '#kernel/postal-code.ts'
import { countriesWithStates, stateFrom, statesOf } from '#kernel/states.ts'

const zipWords = { zip: 'zip', postal: 'zip_abroad', postcode: 'zip_postcode' } as const

// What a postal code is called in a country.
export function zipLabel(country: string, words: Words): string {
  const rule = postalRuleOf(country)
  return rule ? words[zipWords[rule.name]] : words.zip_abroad
}

export function stateLabel(country: string, words: Words): string {
  return country === 'CA' ? words.province : words.state
}

// City and state, country and postal code. The style hides what the chosen country does not have, so that it
// is right without script, too.
export function placeFields(page: PayPage): Html {
  const { fields } = page.options
  const { words } = page.tongue
  const city = { name: 'city', label: words.city, isOptional: true } as const
  const zip = {
    name: 'zip',
    label: zipLabel(page.country, words),
    attributes: { autocomplete: 'billing postal-code', enterkeyhint: 'next' },
  }
  return html`<div class="pair">${
    fields.city === 'asked'
      ? field(page, { ...city, attributes: { autocomplete: 'billing address-level2', enterkeyhint: 'next' } })
      : ''
  }${fields.state === 'asked' ? stateFields(page) : ''}</div>
${
  asksCountry(fields)
    ? html`<div class="pair place">${countryField(page)}${
        fields.zip === 'asked' ? field(page, zip) : ''
      }</div>`
    : ''
}`
}

function countryField({ tongue, country, problems }: PayPage): Html {
  const options = countryNames(tongue.locale).map(({ code, name }) => {
    const kind = postalRuleOf(code)
      ? countriesWithStates.includes(code)
        ? ' class=states'
        : ''
      : ' class=bare'
    const chosen = code === country ? html` selected` : ''
    return html`<option value=${code}${kind}${chosen}>${name}`
  })
  const select = html`<select id="f-country" name="country"
autocomplete="billing country">${options}</select>`
  return selectOf({ name: 'country', label: tongue.words.country, select, problem: problems.get('country') })
}

// One of a list where the country has one, anything elsewhere.
function stateFields(page: PayPage): Html {
  const { tongue, country, problems } = page
  const { words } = tongue
  const state = page.values.get('state') ?? ''
  const names = new Intl.DisplayNames(tongue.locale, { type: 'region' })
  const groups = countriesWithStates.map((of) => {
    const chosen = of === country ? stateFrom(of, state) : ''
    const options = statesOf(of).map(
      ({ code, name }) => html`<option value=${code}${code === chosen ? html` selected` : ''}>${name}`,
    )
    return html`<optgroup label="${names.of(of) ?? of}" data-of="${of}">${options}</optgroup>`
  })
  const select = html`<select id="f-state" name="state" autocomplete="billing address-level1"><option
value="">${groups}</select>`
  const label = html`<span>${stateLabel(country, words)}</span> <i>${words.optional}</i>`
  const region = {
    name: 'region',
    label: words.region,
    isOptional: true,
    value: page.values.get('region') ?? state,
  }
  const attributes = { autocomplete: 'billing address-level1', enterkeyhint: 'next' }
  return html`${selectOf({ name: 'state', label, select, problem: problems.get('state') })}${field(page, {
    ...region,
    attributes,
  })}`
}
