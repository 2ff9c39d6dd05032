import type { Language } from '#capabilities/payer-words/language.ts'
import { sayIn } from '#capabilities/receipts/receipt-words.ts'
import { asciiHtml } from '#kernel/ascii-html.ts'
import { Html, html } from '#kernel/html.ts'

// What an e-mail to a payer says, in plain words. Both of its forms are made of this.
export type Letter = {
  // Of its reader; English unless something else is said.
  readonly language?: Language
  readonly merchantName: string
  // In one line, above everything.
  readonly title: string
  // With its currency's sign; null where no sum is named.
  readonly amount: string | null
  readonly paragraphs: readonly string[]
  readonly facts: readonly { readonly label: string; readonly value: string }[]
  // The one thing to do; null where there is nothing to do.
  readonly button: { readonly label: string; readonly href: string } | null
  // Small, at the end: who has sent this, and why.
  readonly footer: readonly string[]
  readonly isSandbox: boolean
}

export type Mail = { readonly text: string; readonly html: string }

const testMark = (language: Language) => sayIn(language)('Test, no money moves')

export function mailOf(letter: Letter): Mail {
  return { text: plainLetter(letter), html: htmlLetter(letter) }
}

function plainLetter({ language = 'en', amount, facts, button, footer, ...letter }: Letter): string {
  const blocks = [
    letter.isSandbox ? `*** ${testMark(language)} ***` : '',
    letter.merchantName,
    amount === null ? letter.title : `${letter.title}: ${amount}`,
    ...letter.paragraphs,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    button === null ? '' : `${button.label}:\n${button.href}`,
    footer.length === 0 ? '' : ['-- ', ...footer].join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

// Mail readers know no stylesheets worth the name, so every element carries its own style; the sheet only
// turns the colours for those that are dark. One column that shrinks to 320 pixels.
const darkSheet = new Html(`
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .page { background: #12161c !important }
  .card { background: #1a2029 !important; border-color: #39424e !important }
  .text { color: #e8ecf1 !important }
  .muted { color: #a3adba !important }
  .line { border-color: #39424e !important }
  .button { background: #4fc79b !important; color: #06281d !important }
  .link { color: #4fc79b !important }
  .test { background: #2a2210 !important; color: #f3c969 !important }
}
`)

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const body = `${font};font-size:16px;line-height:24px;color:#1b2430`
const small = `${font};font-size:13px;line-height:18px;color:#5a6573`
const breaks = 'overflow-wrap:anywhere;word-break:break-word'
// A label beside a long value keeps its words whole.
const wholeWords = 'overflow-wrap:normal;word-break:normal'

function htmlLetter(letter: Letter): string {
  const { language = 'en', merchantName, title, amount, paragraphs, facts, button, footer } = letter
  return asciiHtml(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}, ${merchantName}</title>
<style>${darkSheet}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f6f7f9">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="background:#f6f7f9"><tr><td align="center" style="padding:16px 8px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:480px;table-layout:fixed;background:#ffffff;border:1px solid #d5dae1;border-radius:10px">
${letter.isSandbox ? testRow(language) : ''}
<tr><td style="padding:24px 16px 0;${breaks}">
<p class="muted" style="margin:0;${small};font-size:14px;line-height:20px">${merchantName}</p>
<h1 class="text" style="margin:4px 0 0;${body};font-size:20px;line-height:28px">${title}</h1>
${amount === null ? '' : sum(amount)}
</td></tr>
<tr><td style="padding:8px 16px 24px;${breaks}">
${paragraphs.map(paragraph)}
${facts.length === 0 ? '' : factTable(facts)}
${button === null ? '' : buttonBlock(button)}
</td></tr>
</table>
${footer.length === 0 ? '' : footerBlock(footer)}
</td></tr></table>
</body>
</html>
`)
}

function testRow(language: Language): Html {
  return html`<tr><td class="test" align="center" style="padding:4px 16px;border-radius:10px 10px 0 0;
${small};color:#8a5a00;background:#fff6e0">${testMark(language)}</td></tr>`
}

// A long one is smaller, so that it stays in one line on the narrowest phone.
function sum(amount: string): Html {
  const size = amount.length > 10 ? 'font-size:24px;line-height:32px' : 'font-size:36px;line-height:44px'
  return html`<p class="text" style="margin:8px 0 0;${body};${size};font-weight:600">
${amount}</p>`
}

// A blank line within stays one.
function paragraph(text: string): Html {
  return html`<p class="text" style="margin:8px 0 0;${body};white-space:pre-line">${text}</p>
`
}

function factTable(facts: Letter['facts']): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="margin:16px 0 0">${facts.map(factRow)}</table>`
}

function factRow({ label, value }: Letter['facts'][number]): Html {
  const cell = 'padding:8px 0;border-top:1px solid #eceff3;vertical-align:top'
  return html`<tr>
<td class="muted line" style="${cell};${wholeWords};padding-right:12px;${small};font-size:14px;
line-height:20px">${label}</td>
<td class="text line" align="right" style="${cell};${body};font-size:14px;line-height:20px">${value}</td>
</tr>`
}

// The address stands below as well, for readers that show no buttons and for those who want to see it first.
function buttonBlock({ label, href }: NonNullable<Letter['button']>): Html {
  return html`<p style="margin:24px 0 0"><a class="button" href="${href}" target="_blank"
 style="display:block;padding:16px;border-radius:10px;text-align:center;text-decoration:none;${body};
font-weight:600;background:#0b6b4f;color:#ffffff">${label}</a></p>
<p class="muted" style="margin:16px 0 0;${small}">Or open this address:<br>
<a class="link" href="${href}" target="_blank" style="color:#0b6b4f;${breaks}">${href}</a></p>`
}

function footerBlock(lines: readonly string[]): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:480px"><tr><td align="center" style="padding:16px;${breaks}">
${lines.map((line) => html`<p class="muted" style="margin:0 0 4px;${small}">${line}</p>`)}
</td></tr></table>`
}
