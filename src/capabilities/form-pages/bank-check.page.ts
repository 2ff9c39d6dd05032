import type { Challenge } from '#capabilities/form-payments/order-by-form.operation.ts'
import { type Scene, shellOf } from '#capabilities/form-pages/form-scene.page.ts'
import { type Asset, formShell } from '#capabilities/form-pages/form-shell.page.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { type Html, html } from '#kernel/html.ts'

export type BankCheck = {
  readonly action: string
  readonly pageKey: string
  // null: the script fills it in when the bank asks.
  readonly challenge: Challenge | null
  readonly isAgain: boolean
  // Otherwise a card is only saved.
  readonly pays: boolean
}

// The page of the payer's bank inside ours, and the way on. The script goes on by itself.
export function bankCheck({ action, pageKey, challenge, isAgain, pays }: BankCheck, { words }: Tongue): Html {
  const address = challenge ? html` src="${challenge.address}"` : ''
  return html`<iframe class="bank" id="bank" title="${words.challenge_frame}"${address}></iframe>
<p class="error" id="bank-again" role="status"${
    isAgain ? '' : html` hidden`
  }><span>${words.challenge_again}</span></p>
<form method="post" action="${action}" id="bank-form">
<input type="hidden" name="k" value="${pageKey}">
<input type="hidden" name="challenge" value="${challenge?.sealed ?? ''}">
<p class="help">${words.challenge_help}</p>
<p class="actions"><button class="pay" type="submit">${words.challenge_continue}</button>
<button class="second" type="submit" name="leave" value="1">${
    pays ? words.challenge_leave : words.challenge_leave_save
  }</button></p>
</form>`
}

type Checking = { readonly challenge: Challenge; readonly isAgain: boolean }

// For browsers without script, which see it as a page of its own.
export function bankCheckPage(view: FormView, scene: Scene, { challenge, isAgain }: Checking): Html {
  const { form, merchant, order, pageKey } = view
  const { tongue, address: action } = scene
  const { words } = tongue
  const { pays } = formOptions(form)
  const name = { merchant: merchant.name }
  const sum = order ? moneyWords(order.amount, tongue) : ''
  const what = pays ? html`<b>${sum}</b> ${fill(words.paid_to, name)}` : fill(words.save_to, name)
  const main = html`<main class="notice check" id="notice">
<h1 tabindex="-1">${words.challenge}</h1>
<p class="lead">${what}</p>
${bankCheck({ action, pageKey, challenge, isAgain, pays }, tongue)}
</main>`
  return formShell(shellOf(view, scene, { title: words.challenge }), main)
}

type ReturnFiles = { readonly style: Asset; readonly returnScript: Asset }

// What stands in the frame once the bank has sent the payer back: it tells the page around it, and nothing
// else.
export function bankReturnPage({ language, words }: Tongue, { style, returnScript }: ReturnFiles): Html {
  return html`<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${words.returned}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style.href}" integrity="${style.integrity}">
<script type="module" src="${returnScript.href}" integrity="${returnScript.integrity}"></script>
</head>
<body class="inner">
<main class="notice"><h1>${words.returned}</h1>
<p>${words.returned_text}</p>
<noscript><p>${words.challenge_help}</p></noscript></main>
</body>
</html>
`
}
