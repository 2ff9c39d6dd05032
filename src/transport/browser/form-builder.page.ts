import { alwaysVisible, explainMask, maskMeanings } from '#capabilities/forms/explain-options.wire.ts'
import { isSet } from '#capabilities/forms/form-options.ts'
import { type Html, html } from '#kernel/html.ts'

// Which bits are ticked, and what else is wished.
export type FormDraft = {
  readonly visible: number
  readonly readOnly: number
  readonly styles: number
  readonly submission: number
  readonly texts: Readonly<Record<DraftText, string>>
  // Follows from the record: an international one takes forms of another kind.
  readonly isInternational: boolean
}

export const draftTexts = ['merchant', 'amount', 'reference', 'colors', 'redirectUrl', 'postUrl'] as const
export type DraftText = (typeof draftTexts)[number]

export const draftMasks = ['visible', 'readOnly', 'styles', 'submission'] as const
type DraftMask = (typeof draftMasks)[number]

export const usualDraft: FormDraft = {
  visible: 0xa0e0 | alwaysVisible,
  readOnly: 0x00c0,
  styles: 0x000a,
  submission: 0x0208,
  isInternational: false,
  texts: {
    merchant: '1',
    amount: '125.00',
    reference: 'invoice-1042',
    colors: '',
    redirectUrl: '',
    postUrl: '',
  },
}

const headings: Readonly<Record<DraftMask, string>> = {
  visible: 'What the payer sees',
  readOnly: 'What cannot be changed',
  styles: 'How it looks',
  submission: 'What it does, and what follows',
}
const notes: Partial<Readonly<Record<DraftMask, string>>> = {
  styles:
    'Of places for labels, of corners, of fonts and of heights one each: the first that is ticked counts.',
}
const labels: Readonly<Record<DraftText, string>> = {
  merchant: 'Merchant record',
  amount: 'Amount (empty: the payer types it, or nothing is paid)',
  reference: 'Your reference',
  colors: 'Colours (empty: our theme)',
  redirectUrl: 'RedirectURL',
  postUrl: 'PostURL',
}

export function hexOf(mask: number): string {
  return mask.toString(16).toUpperCase().padStart(4, '0')
}

export function recordOf({ texts }: Pick<FormDraft, 'texts'>): number {
  return Number(texts.merchant) || 1
}

// What InitForm is sent for this draft.
export function requestOf(draft: FormDraft) {
  const { visible, readOnly, styles, submission, texts } = draft
  const amount = texts.amount.trim()
  return {
    InitParams: {
      MerchID: recordOf(draft),
      WTYPE: draft.isInternational ? 'PA' : 'PF',
      EndPoint: 'PayForm/PF.aspx',
      REF_ID: texts.reference,
      ...(texts.redirectUrl === '' ? {} : { RedirectURL: texts.redirectUrl }),
      ...(texts.postUrl === '' ? {} : { PostURL: texts.postUrl }),
      ...(amount === '' ? {} : { Amounts: { BaseAmt: Number(amount) || amount } }),
      WidOptions: {
        eVisible: hexOf(visible),
        eReadOnly: hexOf(readOnly),
        eStyles: hexOf(styles),
        eSubmission: hexOf(submission),
        eColors: texts.colors,
      },
    },
  }
}

type Builder = { readonly draft: FormDraft; readonly problem: string; readonly style: string }

// A newcomer's workbench: tick, look at the request, open the form. It works without script.
export function formBuilderPage({ draft, problem, style }: Builder): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Build a form - Tillgate sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
<main>
<h1>Build a hosted form</h1>
<p>Tick what you want, look at the request that makes it, and open it. <a href="/docs">API reference</a></p>
${problem === '' ? '' : html`<p role="alert" class="problem">${problem}</p>`}
<form method="post" action="/sandbox/forms">
<div class="texts">${draftTexts.map((name) => textField(name, draft))}</div>
${draftMasks.map((name) => maskFields(name, draft))}
<p class="actions"><button name="then" value="open">Open the form</button>
<button name="then" value="show" class="quiet"
formaction="/sandbox/forms#request">Show the request</button></p>
</form>
<h2 id="request">The request</h2>
<pre tabindex="0" role="group"
aria-labelledby="request"><code>POST /APIcardProcService/v1.0.0/CardSale/InitForm
${JSON.stringify(requestOf(draft), null, 2)}</code></pre>
</main>
</body>
</html>
`
}

function textField(name: DraftText, { texts }: FormDraft): Html {
  return html`<label>${labels[name]}<input name="${name}" value="${texts[name]}"></label>`
}

function maskFields(name: DraftMask, draft: FormDraft): Html {
  const ticked = new Set(explainMask(name, draft[name]).map(({ bit }) => bit))
  const bits = Object.entries(maskMeanings[name]).map(([bit, means]) => {
    const checked = ticked.has(Number(bit)) ? html` checked` : ''
    const fixed = name === 'visible' && isSet(alwaysVisible, Number(bit)) ? html` disabled` : ''
    const box = html`<input type="checkbox" name="${name}" value="${bit}"${checked}${fixed}>`
    return html`<label>${box}${means}</label>`
  })
  const legend = html`<legend>${headings[name]} <code>${hexOf(draft[name])}</code></legend>`
  const note = notes[name] ? html`<p>${notes[name]}</p>` : ''
  return html`<fieldset>${legend}${note}${bits}</fieldset>`
}
