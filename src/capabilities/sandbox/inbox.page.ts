import {
  inboxPath,
  inboxShownMax,
  type InboxMessage,
  type InboxVerdict,
} from '#capabilities/sandbox/inbox-message.ts'
import { printMoment } from '#kernel/calendar.ts'
import { type Html, html } from '#kernel/html.ts'

export const inboxStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f9, #12161c);
  --surface: light-dark(#fff, #1a2029);
  --text: light-dark(#1b2430, #e8ecf1);
  --muted: light-dark(#5a6573, #a3adba);
  --line: light-dark(#d5dae1, #39424e);
  --accent: light-dark(#0b6b4f, #4fc79b);
  --right: light-dark(#14532d, #8fe3b4);
  --right-back: light-dark(#e8f5ee, #12291d);
  --wrong: light-dark(#b3261e, #ff8f86);
  --wrong-back: light-dark(#fdecea, #331512);
  --unsigned: light-dark(#8a5a00, #f3c969);
  --unsigned-back: light-dark(#fff6e0, #2a2210);
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/24px system-ui, sans-serif; color: var(--text); background: var(--page); }
.strip { padding: 4px 16px; text-align: center; font-size: 13px; line-height: 18px; color: var(--unsigned);
  background: repeating-linear-gradient(135deg, light-dark(#fff6e0, #2a2210) 0 12px,
    light-dark(#ffefc7, #33290f) 12px 24px); }
main { max-width: 880px; margin: 0 auto; padding: 24px 16px 48px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between;
  gap: 4px 16px; }
h1 { margin: 0; font-size: 28px; line-height: 36px; }
h2 { margin: 0 0 8px; font-size: 14px; line-height: 20px; font-weight: 600; }
p { margin: 4px 0; }
.muted { color: var(--muted); }
.small { font-size: 13px; line-height: 18px; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent);
  outline-offset: 2px; border-radius: 4px; }
.refresh { display: inline-flex; align-items: center; min-height: 48px; font-weight: 500; }
.card { margin-top: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.empty { padding: 24px; }
summary { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 16px;
  cursor: pointer; list-style: none; border-radius: 10px; }
summary::-webkit-details-marker { display: none; }
.what { flex: 1 1 auto; font-weight: 600; overflow-wrap: anywhere; }
.what::before { content: '\\25B8'; display: inline-block; width: 20px; color: var(--muted); }
details[open] .what::before { content: '\\25BE'; }
.where { flex: 0 0 100%; padding-left: 20px; overflow-wrap: anywhere; }
.where span { display: inline-block; margin-right: 12px; }
.badge { margin-left: 20px; padding: 3px 10px; border-radius: 26px; font-size: 13px; line-height: 18px;
  font-weight: 600; white-space: nowrap; }
.right { color: var(--right); background: var(--right-back); }
.wrong { color: var(--wrong); background: var(--wrong-back); }
.unsigned { color: var(--unsigned); background: var(--unsigned-back); }
.inside { padding: 0 16px 16px; display: grid; gap: 16px; }
.inside > * { min-width: 0; }
.explanation { margin: 0; padding: 12px; border-radius: 10px; }
pre, code { font: 13px/20px ui-monospace, monospace; overflow-wrap: anywhere; }
.word { white-space: nowrap; }
pre { margin: 0; padding: 12px; border: 1px solid var(--line); border-radius: 10px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); }
table { width: 100%; border-collapse: collapse; table-layout: fixed;
  font: 13px/20px ui-monospace, monospace; }
th, td { padding: 4px 0; text-align: left; vertical-align: top; overflow-wrap: anywhere;
  border-top: 1px solid var(--line); font-weight: 400; }
th { width: 40%; padding-right: 16px; color: var(--muted); }
@media (min-width: 720px) { th { width: 200px; } }
`

type Inbox = {
  readonly messages: readonly InboxMessage[]
  readonly baseUrl: string
  // Adds the inbox as a webhook.
  readonly command: string
}

// On the usual port and with the usual folder.
export const firstWebhookCommand =
  'node bin/tillgate.cjs webhook add http://127.0.0.1:8080/sandbox/inbox/orders --account TG0000001'

export function inboxPage({ messages, baseUrl, command }: Inbox): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Webhook inbox - Tillgate sandbox</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${inboxPath}.css" />
      </head>
      <body>
        <aside class="strip" aria-label="Sandbox">Test, no money moves</aside>
        <main>
          <header>
            <h1>Webhook inbox</h1>
            <a class="refresh" href="${inboxPath}">Refresh</a>
          </header>
          <p class="muted">
            Receives what is sent to <code>${baseUrl}${inboxPath}/any-name</code> and keeps the newest
            ${inboxShownMax}. Add <code class="word">?answer=503</code> to the address to see how failures are
            retried.
          </p>
          ${messages.length === 0 ? emptyInbox(command) : messages.map(messageCard)}
        </main>
      </body>
    </html> `
}

function emptyInbox(command: string): Html {
  return html`<section class="card empty">
    <h2>Nothing has arrived yet</h2>
    <p>Tell the demo account's events to this inbox, then charge a card:</p>
    <pre tabindex="0">${command}</pre>
  </section> `
}

const badges: Readonly<Record<InboxVerdict, string>> = {
  right: 'Signature right',
  wrong: 'Signature wrong',
  unsigned: 'Not signed',
}

function messageCard(message: InboxMessage, place: number): Html {
  const { method, path, verdict, explanation, answered, receivedAt } = message
  const open = place === 0 ? html`<details class="card" open>` : html`<details class="card">`
  return html`${open}
    <summary>
      <span class="what">${titleOf(message)}</span>
      <span class="badge ${verdict}">${badges[verdict]}</span>
      <span class="where muted small">
        <span>${method} ${path}</span> <span>${printMoment(receivedAt)}</span>
        <span>${idOf(message)}</span> <span>answered ${answered}</span>
      </span>
    </summary>
    <div class="inside">
      <p class="explanation ${verdict}">${explanation}</p>
      ${bodySection(message)}
      <section>
        <h2>Headers</h2>
        <table>
          <tbody>
            ${message.headers.map(headerRow)}
          </tbody>
        </table>
      </section>
    </div>
  </details> `
}

function headerRow([name, value]: InboxMessage['headers'][number]): Html {
  return html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`
}

function bodySection({ body }: InboxMessage): Html {
  if (body.length === 0) return html`<p class="muted">No body.</p>`
  const [text, how] = shownBody(body)
  return html`<section>
    <h2>Body, ${body.length} bytes, ${how}</h2>
    <pre tabindex="0">${text}</pre>
  </section> `
}

function shownBody(body: Buffer): readonly [text: string, how: string] {
  const text = body.toString('utf8')
  return text.includes('\uFFFD')
    ? [body.toString('hex').replace(/../g, '$& '), 'in hexadecimal, because they are no UTF-8']
    : [text, 'exactly as they arrived']
}

// Events say what they are; everything else is called by its sender's name.
function titleOf({ name, body }: InboxMessage): string {
  const [, type] = /^\{"type":"([a-z_.]{1,40})"/.exec(body.subarray(0, 80).toString('utf8')) ?? []
  return type ?? name
}

// The same for every repeat of a message.
function idOf({ headers }: InboxMessage): string {
  return headers.find(([name]) => name === 'webhook-id')?.[1] ?? 'no webhook-id'
}
