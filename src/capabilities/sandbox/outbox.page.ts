import type { StoredMessage } from '#capabilities/messages/message.ts'
import { countParts } from '#capabilities/messages/split-text.ts'
import { inboxStyle } from '#capabilities/sandbox/inbox.page.ts'
import { printMoment } from '#kernel/calendar.ts'
import { type Html, html } from '#kernel/html.ts'

export const outboxPath = '/sandbox/outbox'
export const outboxShownMax = 50

export const outboxStyle = `${inboxStyle}
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 16px 16px 0; }
.head .what::before { content: none; }
.head .badge { margin-left: 0; }
.head .where { padding-left: 0; }
.shown { padding: 16px; }
.phone { max-width: 320px; padding: 12px; border: 1px solid var(--line); border-radius: 26px;
  background: var(--page); }
.phone .who { margin: 0 0 8px; text-align: center; }
.bubble { margin: 0; padding: 8px 12px; border-radius: 18px 18px 18px 4px; white-space: pre-wrap;
  overflow-wrap: anywhere; background: light-dark(#e4e7ec, #2c3440); }
.bubble a { color: inherit; }
.mail { display: block; width: 100%; max-width: 480px; height: 560px; border: 1px solid var(--line);
  border-radius: 10px; background: #fff; }
.plain { margin-top: 12px; }
.plain summary { padding: 12px 0; color: var(--accent); }
`

type Outbox = {
  readonly messages: readonly StoredMessage[]
  readonly baseUrl: string
  readonly script: { readonly href: string; readonly integrity: string }
}

// Every message as its recipient would see it.
export function outboxPage({ messages, baseUrl, script }: Outbox): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Outbox - Tillgate sandbox</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${outboxPath}.css" />
        <script type="module" src="${script.href}" integrity="${script.integrity}"></script>
      </head>
      <body>
        <aside class="strip" aria-label="Sandbox">Test, no money moves</aside>
        <main>
          <header>
            <h1>Outbox</h1>
            <a class="refresh" href="${outboxPath}">Refresh</a>
          </header>
          <p class="muted">
            The newest ${outboxShownMax} texts and e-mails, as their recipients would see them. Unless a
            sender is set up, nothing leaves this machine.
          </p>
          ${messages.length === 0 ? emptyOutbox() : messages.map((one) => messageCard(one, baseUrl))}
        </main>
      </body>
    </html> `
}

function emptyOutbox(): Html {
  return html`<section class="card empty">
    <h2>Nothing has been sent yet</h2>
    <p>Links that are sent to a phone or a mailbox, and receipts by e-mail, show up here.</p>
  </section> `
}

type Badge = readonly [style: 'right' | 'wrong' | 'unsigned', text: string]

const badges: Readonly<Record<StoredMessage['state'], Badge>> = {
  waiting: ['unsigned', 'Waiting'],
  sent: ['right', 'Sent'],
  delivered: ['right', 'Delivered'],
  dead: ['wrong', 'Not delivered'],
  unknown: ['unsigned', 'Not known whether it arrived'],
}

function messageCard(message: StoredMessage, baseUrl: string): Html {
  const { messageId, channel, recipient, state, problem, createdAt, purpose } = message
  const [style, text] = badges[state]
  const id = `message-${messageId}`
  return html`<article class="card" aria-labelledby="${id}">
    <div class="head">
      <h2 class="what" id="${id}">${channel === 'text' ? 'Text' : 'E-mail'} to ${recipient}</h2>
      <span class="badge ${style}">${text}</span>
      <span class="where muted small">
        <span>${printMoment(createdAt)}</span> <span>${purpose}</span> <span>number ${messageId}</span>
        ${channel === 'text' ? html`<span>${partsOf(message)}</span>` : ''}
      </span>
    </div>
    <div class="shown">
      ${problem === '' ? '' : html`<p class="explanation ${style}">${problem}</p>`}
      ${channel === 'text' ? phoneOf(message, baseUrl) : mailOf(message)}
    </div>
  </article> `
}

function partsOf({ text }: StoredMessage): string {
  const parts = countParts(text)
  return parts === 1 ? 'one short message' : `${parts} short messages`
}

function phoneOf({ merchantName, text }: StoredMessage, baseUrl: string): Html {
  return html`<div class="phone">
    <p class="who muted small">${merchantName}</p>
    <p class="bubble">${linked(text, baseUrl)}</p>
  </div> `
}

// Addresses of this gateway can be opened from here; others are only shown.
function linked(text: string, baseUrl: string): readonly Html[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece) =>
      piece.startsWith(`${baseUrl}/`) ? html`<a href="${piece}">${piece}</a>` : html`${piece}`,
    )
}

function mailOf(message: StoredMessage): Html {
  const { messageId, merchantName, recipient, subject, text, html: body } = message
  return html`<p class="small"><strong>${subject}</strong></p>
    <p class="muted small">From ${merchantName}, to ${recipient}</p>
    ${body === null ? '' : frameOf(messageId, recipient)}
    <details class="plain">
      <summary>As plain text</summary>
      <pre tabindex="0">${text}</pre>
    </details> `
}

// Nothing in it runs, and what it links to opens in a page of its own. Of our origin it is only so that the
// script of the page around it sees how high it is.
function frameOf(messageId: bigint, recipient: string): Html {
  return html`<iframe
    class="mail"
    src="${outboxPath}/${messageId}/mail"
    title="E-mail to ${recipient}"
    sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    loading="lazy"
  ></iframe> `
}
