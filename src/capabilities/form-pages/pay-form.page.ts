import { bankCheck } from '#capabilities/form-pages/bank-check.page.ts'
import { errorOf, fixedOf, tickOf } from '#capabilities/form-pages/form-fields.page.ts'
import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import {
  bankAuthorization,
  bankFields,
  cardFields,
  field,
  methodChoice,
  onFileFields,
  type PayPage,
} from '#capabilities/form-pages/form-parts.page.ts'
import { personFields } from '#capabilities/form-pages/form-person.page.ts'
import { zipLabel } from '#capabilities/form-pages/form-place.page.ts'
import { planSummary } from '#capabilities/form-pages/form-plan.page.ts'
import { fill } from '#capabilities/payer-words/tongue.ts'
import { type Html, html } from '#kernel/html.ts'

// So many characters of the sum stand in one line in the size of its own. A figure is never broken in two.
const shortSum = 11

export function payPage(page: PayPage): Html {
  const { tongue, options, title, amountText } = page
  const { words } = tongue
  const reference = page.values.get('clientRef') ?? ''
  const hasReference = options.fields.clientRef === 'fixed' && reference !== ''
  const hasSum = options.pays && options.fields.amount !== 'asked' && amountText !== ''
  const details = [
    ...planSummary(page.plan),
    page.about,
    hasReference ? fixedOf(words.clientRef, reference) : '',
    ...fixedFields(page),
  ].filter((one) => one !== '')
  const hasTotals = options.pays && page.hasFees
  return html`<main class="columns${details.length > 0 || hasTotals ? ' two' : ''}">
<section class="summary" aria-labelledby="title">
<h1 id="title">${title}</h1>
${hasSum ? html`<p class="sum${amountText.length > shortSum ? ' long' : ''}" id="sum">${amountText}</p>` : ''}
${hasSum && page.feeMost !== '' ? html`<p class="about">${words.before_fee}</p>` : ''}
${details}
</section>
<form class="card" id="form" method="post" action="${page.action}" autocomplete="on"
data-saves="${options.pays ? '' : '1'}">
${hasTotals ? totals(page) : ''}
<div class="entry">
${hiddenFields(page)}
${alertBox(page)}
${amountField(page)}
${(page.takesAch || page.onFile) && options.pays ? methodChoice(page) : ''}
${page.onFile && options.pays ? onFileFields(page) : ''}
${cardFields(page)}
${page.takesAch && options.pays ? bankFields(page) : ''}
${personFields(page)}
${ticks(page)}
${page.takesAch && options.pays ? bankAuthorization(page) : ''}
${payBar(page)}
</div>
</form>
${page.hasBankCheck ? bankCheckBox(page) : ''}
${askingBox(page)}
<p class="hush" role="status" id="status"></p>
</main>`
}

function hiddenFields(page: PayPage): Html {
  return html`<input type="hidden" name="k" value="${page.pageKey}">
<input type="hidden" name="total" value="${page.totalMinor}">
<input type="hidden" name="words" value="${page.wordsName}">
<input type="hidden" name="proof" value="">`
}

// Takes the place of the form while the payer's bank asks; the script shows it.
function bankCheckBox({ tongue, action, pageKey, options: { pays } }: PayPage): Html {
  return html`<section class="card check" id="check" aria-labelledby="check-title" hidden>
<h2 id="check-title" tabindex="-1">${tongue.words.challenge}</h2>
${bankCheck({ action, pageKey, challenge: null, isAgain: false, pays }, tongue)}
</section>`
}

// Takes the place of the form where the bank lets the payer wait; the script shows it.
function askingBox({ options, tongue: { words } }: PayPage): Html {
  return html`<section class="card notice pending" id="asking" aria-labelledby="asking-title" hidden>
<span class="wheel big" aria-hidden="true"></span>
<h2 id="asking-title" tabindex="-1" aria-describedby="asking-text">${words.pending}</h2>
<p id="asking-text">${options.pays ? words.pending_text : words.pending_save_text}</p>
</section>`
}

function alertBox({ alert }: PayPage): Html {
  const { title, text } = alert ?? { title: '', text: '' }
  return html`<div class="alert" id="alert" role="alert" tabindex="-1"${alert ? '' : html` hidden`}>
${icon('wrong', 'small')}<div><b>${title}</b><p>${text}</p></div></div>`
}

function fixedFields({
  options,
  tongue: { words },
  values,
  knownCountry,
}: PayPage): readonly (Html | string)[] {
  const shown = ['firstName', 'lastName', 'street', 'city', 'state', 'zip', 'guid', 'email'] as const
  return shown.map((name) => {
    const value = values.get(name) ?? ''
    if (options.fields[name] !== 'fixed' || value === '') return ''
    return fixedOf(name === 'zip' ? zipLabel(knownCountry, words) : words[name], value)
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
  // Ticked for another total is not ticked.
  const isTicked = values.get('agree') === page.totalMinor
  const agree = { name: 'agree', label: fill(words.agree, names), value: page.totalMinor, isTicked }
  const hasAddress = options.fields.email === 'asked' || Boolean(values.get('email'))
  return html`${
    saving
      ? html`<div class="part saving">${tick(
          'save',
          saving.label,
          html`<p
class="help">${saving.terms}</p>
<details><summary>${words.save_full}</summary><p>${saving.full}</p></details>`,
        )}</div>`
      : ''
  }
${hasAddress && options.asksToMail ? tick('mail', words.mail) : ''}
${options.asksToAgree ? tickOf({ ...agree, problem: problems.get('agree') ?? '' }) : ''}`
}

// All lines are there from the beginning, so that nothing jumps when the card is known: a fee takes the place
// of the most that it can be.
function totals({ tongue: { words }, amountText, feeMost, feeLabel, takesAch }: PayPage): Html {
  const sum = amountText === '' ? unknownSum : amountText
  const total = amountText === '' || feeMost === '' ? sum : fill(words.total_from, { total: sum })
  const noFee = feeMost === '' ? html` hidden` : ''
  const toBank = html`<button type="button" class="link" id="to-bank">${words.pay_from_bank}</button>`
  return html`<div class="totals" aria-live="polite" id="totals">
<dl><div><dt>${words.subtotal}</dt><dd id="fee-base">${sum}</dd></div>
<div id="fee-line"${noFee}><dt data-room="${feeLabel}"><span id="fee-label">${words.fee_line}</span></dt><dd
id="fee-fee">${feeMost}</dd></div>
<div><dt>${words.total}</dt><dd id="fee-total">${total}</dd></div></dl>
${takesAch && feeMost !== '' ? toBank : ''}
</div>`
}

const unknownSum = '\u2013'

// Beside the button, which stays in sight on a phone when the lines above do not.
function feeNote({ options, hasFees, feeAhead }: PayPage): Html | string {
  if (!options.pays || !hasFees) return ''
  return html`<p class="fee-note" id="fee-note"${feeAhead === '' ? html` hidden` : ''}>${feeAhead}</p>`
}

function payBar(page: PayPage): Html {
  const { options, tongue, amountText, feeMost, cancel, moreTime } = page
  const { words } = tongue
  const { buttons } = options.look
  const encrypted = page.isEncrypted ? `${words.encrypted} ` : ''
  // No sum that a card could still raise.
  const amount = feeMost === '' ? amountText : ''
  const label = options.pays
    ? amount === ''
      ? words.pay_plain
      : fill(words.pay, { amount })
    : (page.plan?.button ?? words.save_button)
  return html`<div class="bar${buttons === 'none' ? ' none' : ''}">
<div class="time" id="time" hidden><b>${words.more_time}</b> <span></span> <button type="button"
class="link" data-address="${moreTime}" id="more-time">${words.more_time_button}</button></div>
${errorOf('form', '')}
${feeNote(page)}
<button class="pay" id="pay" type="submit">${icon('lock', 'small')}<span id="pay-text">${label}</span><span
class="wheel" aria-hidden="true"></span></button>
</div>
<div class="under${buttons === 'none' ? ' none' : ''}">
<p class="safe of-card">${encrypted}${words.unseen}</p>
${page.takesAch && options.pays ? html`<p class="safe of-bank">${encrypted}${words.unseen_bank}</p>` : ''}
${
  cancel && buttons === 'both'
    ? html`<a class="cancel" href="${cancel.href}">${fill(words.cancel, { host: cancel.host })}</a>`
    : ''
}
</div>`
}

// Numbers that docs/sandbox.md explains. The script fills them in; without it they are hidden.
export function testNumbers({ tongue: { words }, hasBankCheck, takesAch, options }: PayPage): Html {
  const takesBank = takesAch && options.pays
  const numbers: readonly (readonly [kind: 'card' | 'account', number: string, what: string])[] = [
    ['card', '4242424242424242', words.test_good],
    ['card', '4000056655665556', words.test_debit],
    ['card', '4000000000000002', words.test_declined],
    ['card', hasBankCheck ? '4000000000003220' : '', words.test_check],
    ['account', takesBank ? '000123456789' : '', words.test_account],
    ['account', takesBank ? '1234567890123451' : '', words.test_returned],
  ]
  const buttons = numbers
    .filter(([, number]) => number !== '')
    .map(
      ([kind, number, what]) =>
        html`<button type="button" data-${kind}="${number}">${number.slice(-4)}, ${what}</button>`,
    )
  const title = takesBank ? words.test_fill_any : words.test_fill
  return html`<details class="tests"><summary>${title}</summary><div>${buttons}</div></details>`
}
