import { Html, html } from '#kernel/html.ts'
import { type Challenge, wrongCodesMax } from './challenge.ts'

// The bank's own page: another house than the shop's, with its own name on the door. No script, nothing from
// elsewhere; it works wherever a form does.

export const challengeStyle = `
:root { color-scheme: light dark;
  --page: light-dark(#f6f7f9, #12161c); --surface: light-dark(#fff, #1a2029);
  --text: light-dark(#1b2430, #e8ecf1); --muted: light-dark(#5a6573, #a3adba);
  --border: light-dark(#78828f, #7a8594); --line: light-dark(#e3e7ec, #2c3540);
  --accent: light-dark(#1f4e8c, #8fb8f0); --on-accent: light-dark(#fff, #0b1c33);
  --error: light-dark(#b3261e, #ff8f86); --error-page: light-dark(#fdecea, #2d1715);
  --good: light-dark(#14532d, #7fd8a6); --good-page: light-dark(#e8f5ee, #10261a);
  --warning: light-dark(#8a5a00, #f3c969); --warning-page: light-dark(#fff6e0, #2a2210);
  --stripe: light-dark(#ffefc7, #332914) }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/24px system-ui, sans-serif;
  overflow-wrap: anywhere }
.test { padding: 4px 16px; text-align: center; font-size: 13px; line-height: 18px;
  color: var(--warning);
  background: repeating-linear-gradient(135deg, var(--warning-page) 0 12px, var(--stripe) 12px 24px) }
.page { width: 100%; max-width: 440px; margin: 0 auto; padding: 0 16px }
header { display: flex; align-items: center; gap: 12px; padding: 16px 0 }
header svg { flex: none }
header p { margin: 0; font-weight: 600 }
header span { display: block; color: var(--muted); font-size: 13px; line-height: 18px; font-weight: 400 }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 24px 16px }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px }
.sum { margin: 0; font-size: 40px; line-height: 44px; font-weight: 600; font-variant-numeric: tabular-nums }
.to { margin: 4px 0 24px; color: var(--muted) }
.code { margin: 0 0 16px; padding: 12px 16px; border-radius: 10px; color: var(--warning);
  background: var(--warning-page) }
.code b { font-size: 20px; letter-spacing: 0.12em; font-variant-numeric: tabular-nums }
label { display: block; margin: 0 0 4px; font-size: 14px; line-height: 20px; font-weight: 500 }
input { width: 100%; height: 52px; padding: 0 16px; border: 1px solid var(--border); border-radius: 10px;
  background: var(--surface); color: inherit; font: 600 20px/28px system-ui, sans-serif;
  letter-spacing: 0.24em; font-variant-numeric: tabular-nums }
input[aria-invalid] { border-color: var(--error) }
.help { margin: 8px 0 24px; color: var(--muted); font-size: 13px; line-height: 18px }
.problem { margin: 0 0 16px; padding: 12px 16px; border-radius: 10px; color: var(--error);
  background: var(--error-page) }
.good { margin: 0; padding: 12px 16px; border-radius: 10px; color: var(--good); background: var(--good-page) }
button, .button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 56px;
  padding: 8px 16px; border: 1px solid var(--accent); border-radius: 10px; background: var(--accent);
  color: var(--on-accent); font: 600 17px/24px system-ui, sans-serif; text-decoration: none; cursor: pointer;
  transition: filter 120ms }
button:hover, .button:hover { filter: brightness(1.08) }
.quiet { margin-top: 12px; min-height: 48px; border-color: transparent; background: none;
  color: var(--accent) }
.button { margin-top: 24px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
footer { padding: 16px 0; color: var(--muted); font-size: 13px; line-height: 18px; text-align: center }
@media (prefers-reduced-motion: reduce) { * { transition: none } }
@media (min-width: 480px) { .page { padding-top: 32px } .card { padding: 32px } }
@media (forced-colors: active) { .problem, .good, .code { border: 1px solid } }
`

const style = new Html(challengeStyle)

const shield = html`<svg width="40" height="40" viewBox="0 0 40 40" aria-hidden="true">
<rect width="40" height="40" rx="10" fill="#1f4e8c"/>
<path d="M20 8 9 13v2h22v-2zM11 17h3v10h-3zm7.500 0h3v10h-3zM26 17h3v10h-3zM9 29h22v3H9z" fill="#fff"/></svg>`

export function challengePage(challenge: Challenge): Html {
  return page('Confirm your payment', challenge.state === 'open' ? askFor(challenge) : told(challenge))
}

export function unknownChallengePage(): Html {
  return page(
    'Nothing to confirm',
    html`<div class="card"><h1>Nothing to confirm</h1>
<p>This page belongs to no payment. Nothing was charged. Go back to the shop and begin again.</p></div>`,
  )
}

function askFor({ merchantName, amount, lastFour, code, wrongCodes }: Challenge): Html {
  const isWrong = wrongCodes > 0
  const isKept = amount === ''
  const left = wrongCodesMax - wrongCodes
  const tries = left === 1 ? 'one more try' : `${left} more tries`
  return html`<div class="card">
<h1>Is this you?</h1>
${
  isKept
    ? html`<p class="to">${merchantName} keeps your card ending in ${lastFour}. Nothing is charged.</p>`
    : html`<p class="sum">${amount}</p>
<p class="to">to ${merchantName}, with your card ending in ${lastFour}</p>`
}
<p class="code">In the sandbox the text message is shown here. Your code: <b>${code}</b></p>
${isWrong ? problem(`That is not the code. You have ${tries}.`) : ''}
<form method="post">
<label for="code">Code from your phone</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="6"
 enterkeyhint="done" required pattern="[0-9]{6}" title="6 digits" autofocus
 aria-describedby="${isWrong ? 'problem help' : 'help'}"${isWrong ? new Html(' aria-invalid="true"') : ''} />
<p class="help" id="help">6 digits. Never give this code to anybody, not even to us.</p>
<button type="submit" name="answer" value="confirm">${isKept ? 'Confirm' : 'Confirm payment'}</button>
<button class="quiet" type="submit" name="answer" value="cancel" formnovalidate>No, this is not me</button>
</form>
</div>`
}

function problem(sentence: string): Html {
  return html`<p class="problem" role="alert" id="problem">${sentence}</p>`
}

function told({ state, merchantName, returnTo }: Challenge): Html {
  const isPassed = state === 'passed'
  const back = returnTo === '' ? '' : html`<a class="button" href="${returnTo}">Back to ${merchantName}</a>`
  return html`<div class="card">
<h1>${isPassed ? 'Thank you' : 'Not confirmed'}</h1>
<p class="${isPassed ? 'good' : 'problem'}" role="status">${
    isPassed
      ? 'We have told the shop that it is you. The shop finishes the payment now.'
      : 'We could not confirm that it is you. Nothing was charged.'
  }</p>
${back}
</div>`
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="robots" content="noindex" />
<title>${title} - Sandbox Bank</title>
<link rel="icon" href="data:," />
<style>${style}</style>
</head>
<body>
<aside class="test" aria-label="Sandbox">Test, no money moves</aside>
<div class="page">
<header>${shield}<p>Sandbox Bank<span>Secure payment check</span></p></header>
<main>${content}</main>
<footer>This is the page of a simulated bank, not of the shop.</footer>
</div>
</body>
</html>
`
}
