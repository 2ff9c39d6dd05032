import { type Tongue, usualTongue } from '#capabilities/payer-words/tongue.ts'
import type { Receipt, ReceiptCopy, ReceiptRow } from '#capabilities/receipts/receipt.ts'
import { receiptIn, type Say, sayIn } from '#capabilities/receipts/receipt-words.ts'
import { asciiHtml } from '#kernel/ascii-html.ts'
import { Html, html } from '#kernel/html.ts'

// No script and nothing from elsewhere: the page can be saved, mailed and printed as it is.
const style = new Html(`
  :root { color-scheme: light }
  * { box-sizing: border-box }
  body { margin: 0; padding: 24px 16px; background: #f6f7f9; color: #1b2430;
    font: 16px/24px system-ui, sans-serif; overflow-wrap: anywhere }
  article { max-width: 380px; margin: 0 auto 24px; background: #fff; border: 1px solid #d5dae1;
    border-radius: 10px; padding: 24px; overflow: hidden }
  header { text-align: center }
  h1 { margin: 0; font-size: 20px; line-height: 28px }
  header p { margin: 0; color: #5a6573; font-size: 14px; line-height: 20px }
  .sum { margin: 24px 0 0; text-align: center; font-size: 40px; line-height: 44px; font-weight: 600;
    font-variant-numeric: tabular-nums }
  .what { margin: 24px 0 0; text-align: center; font-weight: 600 }
  .outcome { margin: 4px 0 0; text-align: center; color: #5a6573; font-size: 13px; line-height: 18px;
    letter-spacing: 0.08em }
  dl { margin: 24px 0 0; border-top: 1px solid #d5dae1 }
  dl div { display: flex; justify-content: space-between; gap: 16px; padding: 8px 0;
    border-bottom: 1px solid #eceff3; font-size: 14px; line-height: 20px }
  dt { color: #5a6573; flex: 1 1 min-content; overflow-wrap: break-word }
  dd { margin: 0; text-align: right; min-width: 0; font-variant-numeric: tabular-nums }
  dl div:last-child { border-bottom: 0 }
  .payment div:last-child { font-weight: 600 }
  .payment div:last-child dt { color: inherit }
  footer { margin: 16px 0 0; text-align: center; font-size: 13px; line-height: 18px; letter-spacing: 0.08em;
    color: #5a6573 }
  .test { margin: -24px -24px 24px; padding: 4px; text-align: center; font-size: 13px; line-height: 18px;
    color: #8a5a00; background: repeating-linear-gradient(135deg, #fff6e0 0 12px, #ffefc7 12px 24px) }
  @media (max-width: 359px) {
    body { padding: 8px }
    article { padding: 24px 12px; margin-bottom: 8px }
    .test { margin: -24px -12px 24px }
    .sum { font-size: 32px }
  }
  @page { margin: 12mm }
  @media print {
    body { padding: 0; background: #fff }
    article { max-width: 80mm; border: 0; border-radius: 0; padding: 0; margin: 0 auto }
    article + article { break-before: page }
    .test { margin: 0 0 12px; background: none; border: 1px dashed #8a5a00 }
  }
`)

const copyNames: Readonly<Record<ReceiptCopy, string>> = {
  merchant: 'MERCHANT COPY',
  customer: 'CUSTOMER COPY',
}

// The receipt as a page of its own, one copy after the other, in pure ASCII.
export function receiptPage(
  receipt: Receipt,
  copies: readonly ReceiptCopy[],
  tongue: Tongue = usualTongue,
): string {
  const { language } = tongue
  const say = sayIn(language)
  const told = receiptIn(tongue, receipt)
  return asciiHtml(
    html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${told.title}, ${told.merchant.name}</title>
<style>${style}</style>
</head>
<body>
<main>
${copies.map((copy) => copyOf(told, copy, say))}
</main>
</body>
</html>
`,
  )
}

function copyOf(receipt: Receipt, copy: ReceiptCopy, say: Say): Html {
  const { title, outcome, merchant, rows, total, isSandbox } = receipt
  return html`<article>
${isSandbox ? html`<p class="test">${say('Test, no money moves')}</p>` : ''}
<header>
<h1>${merchant.name}</h1>
${[merchant.location, merchant.address].filter((line) => line !== '').map((line) => html`<p>${line}</p>`)}
</header>
${total === null ? html`<p class="what">${title}</p>` : html`<p class="sum">${total}</p>`}
<p class="outcome">${total === null ? outcome : `${title.toUpperCase()} ${outcome}`}</p>
<dl class="${total === null ? 'consent' : 'payment'}">${rows.map(rowOf)}</dl>
<footer>${say(copyNames[copy])}</footer>
</article>
`
}

function rowOf({ label, value }: ReceiptRow): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`
}
