import {
  errorOf,
  fieldOf,
  type FieldStyle,
  type FieldView,
  fixedOf,
  tickOf,
} from '#capabilities/forms/form-fields.page.ts'
import { icon } from '#capabilities/forms/form-icons.page.ts'
import type { FormOptions } from '#capabilities/forms/form-options.ts'
import { fill, type Tongue } from '#capabilities/forms/form-words.ts'
import { type Html, html } from '#kernel/html.ts'

// A page that can be paid on. All sums and dates are words already.
export type PayPage = {
  readonly tongue: Tongue
  readonly options: FormOptions
  readonly merchantName: string
  readonly action: string
  readonly pageKey: string
  // The total that the payer sees, in minor units; what the server computes must equal it.
  readonly totalMinor: string
  readonly amountText: string
  // The same, or "the amount above" where the payer types it.
  readonly amountNamed: string
  readonly hasFees: boolean
  // "Credit card +3 %", empty where there is no fee.
  readonly feeAhead: string
  readonly takesAch: boolean
  readonly isAmerican: boolean
  readonly asksHolderName: boolean
  readonly bankWords: string
  readonly saving: { readonly terms: string; readonly full: string } | null
  // By the names of the fields: what is known or was typed, never card data.
  readonly values: ReadonlyMap<string, string>
  readonly problems: ReadonlyMap<string, string>
  readonly alert: { readonly title: string; readonly text: string } | null
  readonly cancel: { readonly href: string; readonly host: string } | null
  readonly isSandbox: boolean
  readonly moreTime: string
}

export function payPage(page: PayPage): Html {
  const { tongue, options, merchantName, amountText } = page
  const { words } = tongue
  const title = fill(options.pays ? words.pay_to : words.save_to, { merchant: merchantName })
  const reference = page.values.get('clientRef') ?? ''
  const hasReference = options.fields.clientRef === 'fixed' && reference !== ''
  const hasSum = options.pays && options.fields.amount !== 'asked' && amountText !== ''
  return html`<main class="columns">
<section class="summary" aria-labelledby="title">
<h1 id="title">${title}</h1>
${hasSum ? html`<p class="sum" id="sum">${amountText}</p>` : ''}
${hasReference ? html`<p class="about">${fill(words.for_reference, { reference })}</p>` : ''}
${fixedFields(page)}
</section>
<form class="card" id="form" method="post" action="${page.action}" autocomplete="on"
data-saves="${options.pays ? '' : '1'}">
<input type="hidden" name="k" value="${page.pageKey}">
<input type="hidden" name="total" value="${page.totalMinor}">
<input type="hidden" name="proof" value="">
${alertBox(page)}
${page.isSandbox ? testCards(page) : ''}
${amountField(page)}
${page.takesAch && options.pays ? methodChoice(page) : ''}
${cardFields(page)}
${page.takesAch && options.pays ? bankFields(page) : ''}
${personFields(page)}
${ticks(page)}
${options.pays && page.hasFees ? totals(page) : ''}
${payBar(page)}
</form>
</main>`
}

function alertBox({ alert }: PayPage): Html {
  const { title, text } = alert ?? { title: '', text: '' }
  return html`<div class="alert" id="alert" role="alert" tabindex="-1"${alert ? '' : html` hidden`}>
${icon('wrong', 'small')}<div><b>${title}</b><p>${text}</p></div></div>`
}

function styleOf({ tongue, options }: PayPage): FieldStyle {
  return { words: tongue.words, marksRequired: options.look.marksRequired }
}

function field(page: PayPage, view: FieldView): Html {
  const { values, problems } = page
  const { name } = view
  const known = { value: values.get(name) ?? '', problem: problems.get(name) ?? '' }
  return fieldOf({ ...known, ...view }, styleOf(page))
}

function fixedFields({
  options,
  tongue: { words },
  values,
  isAmerican,
}: PayPage): readonly (Html | string)[] {
  const shown = ['firstName', 'lastName', 'street', 'city', 'state', 'zip', 'guid', 'email'] as const
  return shown.map((name) => {
    const value = values.get(name) ?? ''
    if (options.fields[name] !== 'fixed' || value === '') return ''
    return fixedOf(name === 'zip' && !isAmerican ? words.zip_abroad : words[name], value)
  })
}

function amountField(page: PayPage): Html | string {
  const { options, tongue } = page
  if (!options.pays || options.fields.amount !== 'asked') return ''
  return field(page, {
    name: 'amount',
    label: tongue.words.amount,
    help: tongue.words.amount_help,
    attributes: { inputmode: 'decimal', autocomplete: 'off', enterkeyhint: 'next', maxlength: '20' },
  })
}

type Choice = {
  readonly value: 'card' | 'bank'
  readonly label: string
  readonly note: string
  readonly drawing: string
  readonly isChosen: boolean
}

function methodChoice({ tongue: { words }, values, feeAhead }: PayPage): Html {
  const isBank = values.get('method') === 'bank'
  const card = { value: 'card', label: words.method_card, note: feeAhead, drawing: 'wallet' } as const
  const bank = { value: 'bank', label: words.method_bank, drawing: 'bank' } as const
  return html`<fieldset class="methods"><legend class="hush">${words.method}</legend>
${choiceOf({ ...card, isChosen: !isBank })}
${choiceOf({ ...bank, note: feeAhead === '' ? '' : words.no_fee, isChosen: isBank })}
</fieldset>`
}

function choiceOf({ value, label, note, drawing, isChosen }: Choice): Html {
  const chosen = isChosen ? html` checked` : ''
  return html`<label class="choice"><input type="radio" name="method" id="m-${value}" value="${value}"${chosen}>
${icon(drawing, 'glyph')}<span>${label}${note === '' ? '' : html`<small>${note}</small>`}</span></label>`
}

function cardFields(page: PayPage): Html {
  const { words } = page.tongue
  const { options } = page
  const numeric = { inputmode: 'numeric', enterkeyhint: 'next' }
  const logos = ['VI', 'MC', 'AE', 'DS'].map((brand) => icon(brand, 'logo'))
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

function bankFields(page: PayPage): Html {
  const { words } = page.tongue
  const numeric = { inputmode: 'numeric', enterkeyhint: 'next', autocomplete: 'off' }
  const isSavings = page.values.get('type') === 'savings'
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
<div class="field" data-field="type"><label for="f-type">${words.type}</label><div class="box"><select
id="f-type" name="type"><option value="checking">${words.checking}</option><option
value="savings"${isSavings ? html` selected` : ''}>${words.savings}</option></select></div></div>
<p class="words" id="bank-words">${page.bankWords}</p>
<p class="help">${words.bank_days}</p>
</div>`
}

function personFields(page: PayPage): Html {
  const { options, tongue, isAmerican } = page
  const { words } = tongue
  const { fields, hasFullName } = options
  const asks = (name: keyof typeof fields) => fields[name] === 'asked'
  const text = (name: keyof typeof fields, autocomplete: string, more: Partial<FieldView> = {}) =>
    asks(name)
      ? field(page, { name, label: words[name], attributes: { autocomplete, enterkeyhint: 'next' }, ...more })
      : ''
  const zip = {
    label: isAmerican ? words.zip : words.zip_abroad,
    attributes: {
      autocomplete: 'billing postal-code',
      enterkeyhint: 'next',
      ...(isAmerican ? { inputmode: 'numeric' } : {}),
    },
  }
  const city = text('city', 'billing address-level2', { isOptional: true })
  const state = text('state', 'billing address-level1', { isOptional: true })
  const email = { inputmode: 'email', type: 'email', autocomplete: 'email', enterkeyhint: 'done' }
  return html`${
    hasFullName && (asks('firstName') || asks('lastName'))
      ? field(page, { name: 'name', label: words.name, attributes: { autocomplete: 'cc-name' } })
      : html`<div
class="pair">${text('firstName', 'cc-given-name')}${text('lastName', 'cc-family-name')}</div>`
  }
${text('street', 'billing street-address')}
<div
class="pair">${city}${state}</div>
${text('zip', '', zip)}
${text('clientRef', 'off', { isOptional: true })}
${text('guid', 'off', { isOptional: true })}
${text('email', '', { isOptional: true, help: words.email_help, attributes: email })}`
}

function ticks(page: PayPage): Html {
  const { options, tongue, values, problems, saving, merchantName } = page
  const { words } = tongue
  const tick = (name: string, label: string, more?: Html) =>
    tickOf({
      name,
      label,
      isTicked: values.has(name),
      problem: problems.get(name) ?? '',
      ...(more ? { more } : {}),
    })
  const names = { merchant: merchantName, amount: page.amountNamed }
  return html`${
    saving
      ? html`<div class="part saving">${tick(
          'save',
          fill(words.save, names),
          html`<p
class="help">${saving.terms}</p>
<details><summary>${words.save_full}</summary><p>${saving.full}</p></details>`,
        )}</div>`
      : ''
  }
${options.asksToMail ? tick('mail', words.mail) : ''}
${options.asksToAgree ? tick('agree', fill(words.agree, names)) : ''}`
}

// Its room is kept from the beginning.
function totals({ tongue: { words }, amountText, feeAhead, takesAch }: PayPage): Html {
  const toBank = html`<button type="button" class="link" id="to-bank" hidden>${words.pay_from_bank}</button>`
  return html`<div class="totals" aria-live="polite" id="totals">
<p id="fee-ahead" class="help">${feeAhead}</p>
<dl id="fee-lines" hidden><div><dt>${words.subtotal}</dt><dd
id="fee-base">${amountText}</dd></div><div><dt>${words.fee_line}</dt><dd
id="fee-fee"></dd></div><div><dt>${words.total}</dt><dd id="fee-total"></dd></div></dl>
${takesAch ? toBank : ''}
</div>`
}

function payBar({ options, tongue: { words }, amountText, cancel, moreTime }: PayPage): Html {
  const { buttons } = options.look
  const amount = amountText
  const label = options.pays
    ? amount === ''
      ? words.pay_plain
      : fill(words.pay, { amount })
    : words.save_button
  return html`<div class="bar${buttons === 'none' ? ' none' : ''}">
<div class="time" id="time" hidden><b>${words.more_time}</b> <span></span> <button type="submit"
class="link" formaction="${moreTime}" id="more-time" formnovalidate>${words.more_time_button}</button></div>
${errorOf('form', '')}
<button class="pay" id="pay" type="submit">${icon('lock', 'small')}<span id="pay-text">${label}</span><span
class="wheel" aria-hidden="true"></span></button>
</div>
<div class="under${buttons === 'none' ? ' none' : ''}">
<p class="safe">${words.encrypted}</p>
${
  cancel && buttons === 'both'
    ? html`<a class="cancel" href="${cancel.href}">${fill(words.cancel, { host: cancel.host })}</a>`
    : ''
}
</div>`
}

// The script fills them in; without it they are hidden.
function testCards({ tongue: { words } }: PayPage): Html {
  const cards = [
    ['4242424242424242', words.test_good],
    ['4000056655665556', words.test_debit],
    ['4000000000000002', words.test_declined],
  ] as const
  return html`<details class="tests" id="tests" hidden><summary>${words.test_fill}</summary>${cards.map(
    ([number, what]) =>
      html`<button type="button" data-fill="${number}">${number.slice(-4)}, ${what}</button>`,
  )}</details>`
}
