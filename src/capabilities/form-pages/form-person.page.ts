import type { FieldView } from '#capabilities/form-pages/form-fields.page.ts'
import { field, type PayPage } from '#capabilities/form-pages/form-parts.page.ts'
import { placeFields } from '#capabilities/form-pages/form-place.page.ts'
import { type Html, html } from '#kernel/html.ts'

export function personFields(page: PayPage): Html {
  const { options, tongue } = page
  const { words } = tongue
  const { fields, hasFullName } = options
  const asks = (name: keyof typeof fields) => fields[name] === 'asked'
  const text = (name: keyof typeof fields, autocomplete: string, more: Partial<FieldView> = {}) =>
    asks(name)
      ? field(page, { name, label: words[name], attributes: { autocomplete, enterkeyhint: 'next' }, ...more })
      : ''
  // Where nothing is paid, there is no receipt.
  const help = options.pays ? words.email_help : ''
  const email = { inputmode: 'email', type: 'email', autocomplete: 'email', enterkeyhint: 'done' }
  return html`${
    hasFullName && (asks('firstName') || asks('lastName'))
      ? field(page, { name: 'name', label: words.name, attributes: { autocomplete: 'cc-name' } })
      : html`<div
class="pair">${text('firstName', 'cc-given-name')}${text('lastName', 'cc-family-name')}</div>`
  }
${text('street', 'billing street-address')}
${placeFields(page)}
${text('clientRef', 'off', { isOptional: true })}
${text('guid', 'off', { isOptional: true })}
${text('email', '', { isOptional: true, help, attributes: email })}`
}
