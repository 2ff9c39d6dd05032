import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'
import { type Html, html } from '#kernel/html.ts'
import { linkPages, type Written } from '#transport/browser/markdown.page.ts'

export function docsPage(): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Tillgate API</title>
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
      </head>
      <body>
        <div id="reference"></div>
        <noscript>
          <p>This page needs JavaScript. The same as data: <a href="/openapi.json">openapi.json</a>.</p>
        </noscript>
        <script src="/docs/scalar.js"></script>
        <script src="/docs/start.js"></script>
      </body>
    </html> `
}

// Fonts and telemetry of the reference would go to other hosts; this gateway works offline and tells nobody.
// Every operation shows its members; the types of generated clients would be a hundred more rows. A call that
// is tried has a dialog of its own, which grows with its parts: on a phone its button lay outside.
export const docsStartScript = `'use strict'
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideModels: true,
  showDeveloperTools: 'never',
  customCss: '.scalar-client main > * { min-width: 0 }',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  defaultOpenAllTags: true,
  authentication: { preferredSecurityScheme: 'SessKey' },
})
`

export const errorsStyle = `
:root {
  color-scheme: light dark;
  --line: light-dark(#dde1e6, #39424e);
  --muted: light-dark(#5a6573, #a3adb9);
}
body {
  margin: 0 auto;
  padding: 24px 16px 48px;
  max-width: 760px;
  font: 16px/24px system-ui, sans-serif;
  color: light-dark(#1b2430, #eef1f4);
  background: light-dark(#f6f7f9, #14181e);
}
h1 { font-size: 28px; line-height: 36px; }
h2 { font-size: 18px; margin: 0 0 4px; }
a { color: light-dark(#0b6b4f, #57c7a0); }
section { border-top: 1px solid var(--line); margin-top: 16px; padding-top: 16px; }
p { margin: 4px 0; }
.muted { color: var(--muted); font-weight: 400; }
code { font: 14px/20px ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 8px 12px; border: 1px solid var(--line); }
pre code { overflow-wrap: normal; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; }
tr { border-bottom: 1px solid var(--line); }
dt { margin-top: 8px; }
dd { margin: 0 0 0 16px; color: var(--muted); }
.written :is(h2, h3) { margin: 32px 0 8px; }
.written h3 { font-size: 16px; margin-top: 24px; }
.written :is(p, ul, ol, pre, table) { margin: 12px 0; }
.written li + li { margin-top: 4px; }
.written td { overflow-wrap: break-word; }
.written td:has(code) { min-width: 120px; }
@media (max-width: 46em) {
  .listed :is(tbody, tr) { display: block; }
  .listed, .listed td { display: grid; }
  .listed thead { display: block; position: absolute; width: 1px; height: 1px; overflow: hidden; }
  .listed tr { padding: 8px 0; }
  .listed td { grid-template-columns: 112px minmax(0, 1fr); padding: 0; }
  .listed td:has(> :empty) { display: none; }
  .listed td::before { content: attr(data-column); color: var(--muted); }
}
`

export type ErrorDoc = Pick<ErrorEntry, 'code' | 'cause' | 'remedy'> & {
  readonly name: string
  readonly sample: string
}

export type DeclineDoc = { readonly code: string; readonly text: string; readonly remedy: string }

export function errorsPage(errors: readonly ErrorDoc[], declines: readonly DeclineDoc[]): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Error codes - Tillgate API</title>
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
        <link rel="stylesheet" href="/docs/errors.css" />
      </head>
      <body>
        <main>
          <h1>Error codes</h1>
          <p>
            0 means that the call was carried out, not that anything was approved: a
            <a href="#declines">decline</a> is 0 as well, and
            <a href="/docs/reading-answers">reading answers</a> tells the two apart. Every other
            <code>ErrCode</code> stands here with its cause and what to do about it.
            <a href="/docs">Back to the operations</a>
          </p>
          ${errors.map(errorSection)} ${declinesSection(declines)}
        </main>
      </body>
    </html> `
}

// A page of docs/ as it stands there.
export function writtenPage({ title, body }: Written): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Tillgate API</title>
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
        <link rel="stylesheet" href="/docs/errors.css" />
      </head>
      <body>
        <main class="written">
          ${body}
          <p><a href="/docs">Back to the operations</a></p>
        </main>
      </body>
    </html> `
}

function errorSection({ name, code, sample, cause, remedy }: ErrorDoc): Html {
  return html`<section id="${code}">
        <h2><a href="#${code}">${code}</a> <span class="muted">${name}</span></h2>
        <p><code>${sample}</code></p>
        <p>${linkPages(cause)}</p>
        <p><b>What to do:</b> ${linkPages(remedy)}</p>
      </section>
      `
}

function declinesSection(declines: readonly DeclineDoc[]): Html {
  return html`<section id="declines">
        <h2><a href="#declines">Declines</a></h2>
        <p>
          The bank said no: <code>ErrCode</code> is 0, <code>TxApproved</code> false, and
          <code>TxnCode</code> has the reason. Every next try needs an <code>Idempotency-Key</code> of
          its own.
        </p>
        <dl>
          ${declines.map(declineRow)}
        </dl>
      </section>
      `
}

function declineRow({ code, text, remedy }: DeclineDoc): Html {
  return html`<dt><code>${code}</code> ${text}</dt>
    <dd>${remedy}</dd>`
}
