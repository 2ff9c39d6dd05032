import { fillBody, standardWords, type TextFacts } from '#capabilities/links/link-text.ts'
import { type Html, html } from '#kernel/html.ts'

// Mail programs know no stylesheets to speak of, so every element carries its own style. One column that is
// never wider than its window.
const font = "font-family:system-ui,-apple-system,'Segoe UI',Arial,sans-serif"
const button = [
  'display:block',
  'padding:16px 20px',
  'border-radius:10px',
  'background:#0b6b4f',
  'color:#ffffff',
  'font-size:17px',
  'line-height:24px',
  'font-weight:600',
  'text-align:center',
  'text-decoration:none',
].join(';')
const card = 'background:#ffffff;border:1px solid #e3e7ec;border-radius:16px;padding:24px 20px'
const muted = 'margin:16px 0 0;font-size:14px;line-height:20px;color:#5a6573'

// The link as an e-mail: who asks, for how much, one button, until when, and the address to read.
export function linkMail(body: string, facts: TextFacts): Html {
  const { merchant, amount, link, dueOn, expiresAt } = facts
  const words = body === '' ? standardWords(facts) : fillBody(body, facts)
  const label = amount === '' ? 'Save a card' : `Pay ${amount}`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light"><title>${merchant}</title></head>
<body style="margin:0;background:#f6f7f9;color:#1b2430;${font};font-size:16px;line-height:24px">
<div style="max-width:440px;margin:0 auto;padding:24px 16px">
<p style="margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600">${merchant}</p>
<div style="${card}">
${linesOf(words)}
${
  amount === ''
    ? ''
    : html`<p style="margin:16px 0 0;font-size:40px;line-height:44px;font-weight:600">${amount}</p>`
}
${dueOn === '' ? '' : html`<p style="margin:4px 0 0;color:#5a6573">Due ${dueOn}</p>`}
<p style="margin:24px 0 0"><a href="${link}" style="${button}">${label}</a></p>
<p style="${muted};word-break:break-all">${link}</p>
<p style="${muted}">Expires ${expiresAt}.</p>
</div>
<p style="${muted}">You get this because ${merchant} asked us to send it.
If you do not know them, do nothing.</p>
</div></body></html>
`
}

function linesOf(words: string): readonly Html[] {
  return words
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => html`<p style="margin:0 0 8px">${line}</p>`)
}
