import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import { type FormPictures, picturesPath } from '#capabilities/forms/picture-file.ts'
import type { FormLook } from '#capabilities/forms/form-options.ts'
import { languages } from '#capabilities/payer-words/language.ts'
import { fill, tongueFor, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { escapeText, Html, html } from '#kernel/html.ts'

export type Asset = { readonly href: string; readonly integrity: string }

// Our own files that a page refers to, and the drawings that it carries.
export type FormFiles = {
  readonly script: Asset
  readonly style: Asset
  readonly icons: Html
}

// What every page of a form has.
export type Shell = {
  readonly tongue: Tongue
  readonly title: string
  readonly assets: FormFiles
  // The address of the stylesheet with the merchant's colours; empty for our own.
  readonly theme: string
  readonly look: FormLook
  readonly merchant: MerchantShown | null
  // Of this form, with the token; the page's own links are made from it.
  readonly address: string
  readonly isSandbox: boolean
  // Test cards, which the strip of the sandbox offers.
  readonly tests?: Html | string
  // For script: never card data.
  readonly facts: Readonly<Record<string, unknown>>
  // After so many seconds the browser goes there by itself; null for never.
  readonly goesOn: GoingOn | null
}

export type GoingOn = {
  readonly seconds: number
  readonly to: string
  // A browser that goes on and finds nobody stays on a page of its own; the script asks first.
  readonly isLeftToScript: boolean
}

export type MerchantShown = FormPictures & {
  readonly name: string
  readonly place: string
  readonly phone: string
}

// Painted when all of it has been read, to its last element: a browser that paints between two pieces of a
// button shows it jump.
export function formShell(shell: Shell, main: Html): Html {
  const { tongue, assets, theme, look, merchant, goesOn } = shell
  const classes = `l-${look.labels} c-${look.corners} f-${look.font} b-${look.boxes}`
  return html`<!doctype html>
<html lang="${tongue.language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<title>${shell.title}</title>
${merchant ? previewOf(merchant) : ''}
<link rel="icon" href="${iconOf(merchant)}">
<link rel="expect" href="#facts" blocking="render">
<link rel="stylesheet" href="${assets.style.href}" integrity="${assets.style.integrity}">
${theme === '' ? '' : html`<link rel="stylesheet" href="${theme}">`}
${goesOn ? refreshOf(goesOn) : ''}
<script type="module" src="${assets.script.href}" integrity="${assets.script.integrity}"></script>
</head>
<body class="${classes}">
${assets.icons}
${
  shell.isSandbox
    ? html`<aside class="strip"><span>${tongue.words.test}</span>${shell.tests ?? ''}</aside>`
    : ''
}
<div class="sheet">
${merchant ? topOf(merchant, tongue) : ''}
${main}
<footer class="foot">${languageLinks(shell)}</footer>
</div>
<script type="application/json" id="facts">${jsonOf(shell.facts)}</script>
</body>
</html>
`
}

// To take it out of the page would not stop it.
function refreshOf({ seconds, to, isLeftToScript }: GoingOn): Html {
  const refresh = html`<meta http-equiv="refresh" content="${seconds};url=${to}">`
  return isLeftToScript ? html`<noscript>${refresh}</noscript>` : refresh
}

// The merchant's own, or its first letter on our green.
function iconOf(merchant: MerchantShown | null): string {
  if (merchant?.favicon) return `${picturesPath}${merchant.favicon.name}`
  if (!merchant) return 'data:,'
  const letter = `<text x="16" y="23" font-size="20" font-weight="600" font-family="system-ui,sans-serif"
text-anchor="middle" fill="#fff">${escapeText(initialOf(merchant))}</text>`
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b6b4f"/>${letter}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`
}

function initialOf({ name }: Pick<MerchantShown, 'name'>): string {
  return Array.from(name)[0] ?? ''
}

// For chats that show what an address leads to: whoever reads along learns who asks, and nothing else.
function previewOf({ name }: MerchantShown): Html {
  return html`<meta property="og:title" content="${name}">
<meta property="og:description" content="${name}">`
}

function topOf({ name, place, phone, logo }: MerchantShown, { words }: Tongue): Html {
  const call = fill(words.call, { phone })
  return html`<header class="top">
${logo ? logoOf(logo) : html`<span class="mark" aria-hidden="true">${initialOf({ name })}</span>`}
<span class="who"><b>${name}</b>${place === '' ? '' : html`<span>${place}</span>`}</span>
${
  phone === ''
    ? ''
    : html`<a class="call" href="tel:${phone.replace(/[^+\d]/g, '')}"
aria-label="${call}">${icon('phone', 'small')}<span>${phone}</span></a>`
}
</header>`
}

// The name stands beside it as text. Its sides are known, so that nothing moves when it arrives.
function logoOf({ name, width, height }: NonNullable<MerchantShown['logo']>): Html {
  return html`<img class="emblem" src="${picturesPath}${name}" width="${width}" height="${height}" alt="">`
}

function languageLinks({ tongue, address }: Shell): readonly Html[] {
  const plain = address.replace(/[?&]l=[a-z]{2}/, '')
  return languages.map((one) => {
    const { language } = tongueFor('', one).words
    return one === tongue.language
      ? html`<span lang="${one}" aria-current="true">${language}</span>`
      : html`<a lang="${one}" hreflang="${one}" href="${withMember(plain, `l=${one}`)}">${language}</a>`
  })
}

// A form's address has members already, a link's has none.
export function withMember(address: string, member: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${member}`
}

// Inside a script element only an opening angle bracket could end it.
function jsonOf(facts: Readonly<Record<string, unknown>>): Html {
  return new Html(JSON.stringify(facts).replaceAll('<', '\\u003c'))
}
