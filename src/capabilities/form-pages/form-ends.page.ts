import { tickOf } from '#capabilities/form-pages/form-fields.page.ts'
import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import { fill, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { type Html, html } from '#kernel/html.ts'

export type Notice = {
  // asking: a wheel that turns. check: it is done. question: nothing is known of it. attention: somebody has
  // to do something, or did. clock: time is up, or has to pass.
  readonly sign: 'asking' | 'check' | 'question' | 'attention' | 'clock'
  readonly title: string
  readonly text: string
  readonly reference: string
  // The way on, as a button below. A page that still asks looks again by itself, so there it is a quiet one,
  // for whoever got the page without its script or cannot wait.
  readonly action?: { readonly href: string; readonly label: string }
}

// A calm page that says what is so: expired, closed, paid already, unknown, still asking.
export function noticePage({ sign, title, text, reference, action }: Notice, { words }: Tongue): Html {
  const rank = sign === 'asking' ? 'second' : 'pay'
  return html`<main class="notice ${sign === 'asking' ? 'pending' : 'quiet'}" id="notice">
${sign === 'asking' ? html`<span class="wheel big" aria-hidden="true"></span>` : icon(sign, 'sign')}
<h1 tabindex="-1">${title}</h1>
<p role="status">${text}</p>
${reference === '' ? '' : html`<p class="about">${words.reference} ${reference}</p>`}
${action ? html`<p class="actions"><a class="${rank}" href="${action.href}">${action.label}</a></p>` : ''}
</main>`
}

export type PaidPage = {
  // Ordered and not paid yet: what a bank may still send back.
  readonly isOrdered: boolean
  readonly title: string
  readonly subtitle: string
  readonly note: string
  readonly rows: readonly { readonly label: string; readonly value: string }[]
  // What becomes of a card that is kept; empty where none is.
  readonly kept: string
  // To whom the receipt is mailed; empty where it is not.
  readonly mailed: string
  // Where the receipt can be had; empty when there is none.
  readonly receipt: string
  // How many copies of it stand on the page.
  readonly copiesShown: 0 | 1 | 2
  readonly back: { readonly href: string; readonly host: string; readonly isAutomatic: boolean } | null
  // The same page, which nobody is taken away from.
  readonly stay: string
}

export function paidPage(page: PaidPage, { words }: Tongue): Html {
  const { isOrdered, title, subtitle, note, rows, kept, mailed, receipt, copiesShown, back } = page
  const host = back?.host ?? ''
  return html`<main class="notice done${isOrdered ? ' ordered' : ''}" id="notice">
${icon(isOrdered ? 'clock' : 'tick', 'sign')}
<h1 tabindex="-1">${title}</h1>
${subtitle === '' ? '' : html`<p class="lead">${subtitle}</p>`}
${note === '' ? '' : html`<p role="status">${note}</p>`}
${
  copiesShown > 0 && receipt !== ''
    ? receiptFrame(receipt, copiesShown, words.receipt)
    : html`<dl
class="rows">${rows.map(rowOf)}</dl>`
}
${kept === '' ? '' : html`<p class="about">${kept}</p>`}
${mailed === '' ? '' : html`<p class="about">${mailed}</p>`}
<p class="actions">${
    back ? html`<a class="pay" href="${back.href}" rel="noreferrer">${fill(words.back, { host })}</a>` : ''
  }${
    receipt === ''
      ? ''
      : html`<a class="second" href="${receipt}" target="_blank" rel="noopener">${words.print}</a>`
  }</p>
${
  back?.isAutomatic
    ? html`<p class="help">${fill(words.going_back, { host })} <a href="${page.stay}">${words.stay}</a></p>`
    : ''
}
</main>`
}

// No script runs in it. Of our origin it is only so that the page's own script sees how high it is.
function receiptFrame(address: string, copies: number, title: string): Html {
  return html`<iframe class="receipt copies-${copies}" src="${address}" title="${title}"
sandbox="allow-modals allow-same-origin"></iframe>`
}

export type ReviewPage = {
  readonly title: string
  readonly text: string
  readonly rows: readonly { readonly label: string; readonly value: string }[]
  readonly action: string
  readonly hidden: ReadonlyMap<string, string>
  // What the payer has to tick for this total; null for nothing.
  readonly agree: { readonly label: string; readonly value: string; readonly problem: string } | null
  readonly button: string
  readonly back: { readonly href: string; readonly label: string }
}

// The last look at fee and total for browsers without script. What was typed travels sealed.
export function reviewPage(page: ReviewPage): Html {
  return html`<main class="notice review">
<h1>${page.title}</h1>
<p>${page.text}</p>
<dl class="rows">${page.rows.map(rowOf)}</dl>
<form method="post" action="${page.action}">
${[...page.hidden].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${page.agree ? tickOf({ ...page.agree, name: 'agree', isTicked: false }) : ''}
<p class="actions"><button class="pay"
type="submit">${icon('lock', 'small')}<span>${page.button}</span></button>
<a class="second" href="${page.back.href}">${page.back.label}</a></p>
</form>
</main>`
}

function rowOf({ label, value }: PaidPage['rows'][number]): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`
}
