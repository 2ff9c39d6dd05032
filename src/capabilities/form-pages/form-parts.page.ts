import {
  fieldOf,
  type FieldStyle,
  type FieldView,
  selectOf,
} from '#capabilities/form-pages/form-fields.page.ts'
import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import type { PlanShown } from '#capabilities/form-pages/form-plan.page.ts'
import type { FormOptions } from '#capabilities/forms/form-options.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import { type Html, html } from '#kernel/html.ts'

// A page that can be paid on. All sums and dates are words already.
export type PayPage = {
  readonly tongue: Tongue
  readonly options: FormOptions
  readonly title: string
  // null where the payer agrees to no payment plan.
  readonly plan: PlanShown | null
  readonly merchantName: string
  readonly action: string
  readonly pageKey: string
  // The total that the payer sees, in minor units; what the server computes must equal it.
  readonly totalMinor: string
  readonly amountText: string
  // The same, or "the amount above" where the payer types it.
  readonly amountNamed: string
  readonly hasFees: boolean
  // "Credit card +3%" and "up to 3%", empty where there is no fee.
  readonly feeAhead: string
  readonly feeMost: string
  readonly feeLabel: string
  readonly takesAch: boolean
  // Where the payer's card or account is billed, as two letters.
  readonly country: string
  // The same where the merchant's system has sent it; else empty.
  readonly knownCountry: string
  readonly asksHolderName: boolean
  readonly bankWords: string
  // Names the agreements that the page shows.
  readonly wordsName: string
  readonly saving: { readonly label: string; readonly terms: string; readonly full: string } | null
  // By the names of the fields: what is known or was typed, never card data.
  readonly values: ReadonlyMap<string, string>
  readonly problems: ReadonlyMap<string, string>
  readonly alert: { readonly title: string; readonly text: string } | null
  readonly cancel: { readonly href: string; readonly host: string } | null
  // It travels over https.
  readonly isEncrypted: boolean
  // The payer's bank may want to see the payer before anything is charged.
  readonly hasBankCheck: boolean
  // Card networks that are taken; absent or empty: all.
  readonly brands?: readonly string[]
  readonly moreTime: string
  readonly about: Html | string
  readonly onFile: OnFileShown | null
}

export type OnFileShown = {
  // "Visa ending 1111", and "Expires 08/29".
  readonly name: string
  readonly expiry: string
  readonly isAmex: boolean
}

function styleOf({ tongue, options }: PayPage): FieldStyle {
  return { words: tongue.words, marksRequired: options.look.marksRequired }
}

export function field(page: PayPage, view: FieldView): Html {
  const { values, problems } = page
  const { name } = view
  const known = { value: values.get(name) ?? '', problem: problems.get(name) ?? '' }
  return fieldOf({ ...known, ...view }, styleOf(page))
}

type Choice = {
  readonly value: 'card' | 'bank' | 'onfile'
  readonly label: string
  readonly note: string
  readonly drawing: string
  readonly isChosen: boolean
}

export function methodChoice({ tongue: { words }, values, feeAhead, onFile, takesAch }: PayPage): Html {
  const chosen = values.get('method') ?? (onFile ? 'onfile' : 'card')
  const label = onFile ? words.method_other : words.method_card
  const card = { value: 'card', label, note: feeAhead, drawing: 'wallet' } as const
  const bank = { value: 'bank', label: words.method_bank, drawing: 'bank' } as const
  const note = feeAhead === '' ? '' : words.no_fee
  return html`<fieldset class="methods"><legend class="hush">${words.method}</legend>
${onFile ? onFileChoice(onFile, chosen) : ''}
${choiceOf({ ...card, isChosen: chosen === 'card' })}
${takesAch ? choiceOf({ ...bank, note, isChosen: chosen === 'bank' }) : ''}
</fieldset>`
}

function onFileChoice({ name, expiry }: OnFileShown, chosen: string): Html {
  const row = { value: 'onfile', label: name, note: expiry, drawing: 'wallet' } as const
  return choiceOf({ ...row, isChosen: chosen === 'onfile' })
}

// Nothing but its security code is asked for.
export function onFileFields(page: PayPage): Html {
  const { words } = page.tongue
  return html`<div class="part part-onfile">
${field(page, {
  name: 'fileCode',
  label: words.code,
  help: page.onFile?.isAmex ? words.code_help_four : words.code_help_three,
  attributes: { inputmode: 'numeric', enterkeyhint: 'done', autocomplete: 'cc-csc', maxlength: '4' },
})}
</div>`
}

function choiceOf({ value, label, note, drawing, isChosen }: Choice): Html {
  const chosen = isChosen ? html` checked` : ''
  return html`<label class="choice"><input type="radio" name="method" id="m-${value}"
value="${value}"${chosen}>
${icon(drawing, 'glyph')}<span>${label}${note === '' ? '' : html`<small>${note}</small>`}</span></label>`
}

export function cardFields(page: PayPage): Html {
  const { words } = page.tongue
  const { options } = page
  const numeric = { inputmode: 'numeric', enterkeyhint: 'next' }
  const logos = ['VI', 'MC', 'AE', 'DS']
    .filter((brand) => !page.brands?.length || page.brands.includes(brand))
    .map((brand) => icon(brand, 'logo'))
  return html`<div class="part part-card">
${options.showsLogos ? html`<p class="logos" aria-hidden="true">${logos}</p>` : ''}
${field(page, {
  name: 'number',
  label: words.number,
  kind: 'wide',
  attributes: { ...numeric, autocomplete: 'cc-number', maxlength: '30', spellcheck: 'false' },
  after: html`<svg class="brand" aria-hidden="true"><use id="brand" href="#i-card"></use></svg>`,
})}
<div class="pair">
${field(page, {
  name: 'expiry',
  label: words.expiry,
  help: words.expiry_help,
  attributes: { ...numeric, autocomplete: 'cc-exp', maxlength: '9' },
})}
${field(page, {
  name: 'code',
  label: words.code,
  help: words.code_help_three,
  attributes: { ...numeric, autocomplete: 'cc-csc', maxlength: '4' },
})}
</div>
</div>`
}

export function bankFields(page: PayPage): Html {
  const { words } = page.tongue
  const numeric = { inputmode: 'numeric', enterkeyhint: 'next', autocomplete: 'off' }
  const isSavings = page.values.get('type') === 'savings'
  const typeChoice = html`<select id="f-type" name="type"><option value="checking">${
    words.checking
  }</option><option value="savings"${isSavings ? html` selected` : ''}>${words.savings}</option></select>`
  return html`<div class="part part-bank">
${
  page.asksHolderName
    ? field(page, { name: 'name', label: words.name_on_account, attributes: { autocomplete: 'name' } })
    : ''
}
${field(page, {
  name: 'routing',
  label: words.routing,
  help: words.routing_help,
  attributes: { ...numeric, maxlength: '11' },
})}
${field(page, { name: 'account', label: words.account, attributes: { ...numeric, maxlength: '21' } })}
${selectOf({ name: 'type', label: words.type, select: typeChoice, problem: '' })}
</div>`
}

// Stands right above the button that it speaks of.
export function bankAuthorization({ tongue: { words }, bankWords }: PayPage): Html {
  return html`<div class="part of-bank">
<p class="words" id="bank-words">${bankWords}</p>
<p class="help">${words.bank_days}</p>
</div>`
}
