import { inboxPath, inboxShownMax, type InboxMessage } from '#capabilities/sandbox/inbox-message.ts'
import { insertInboxMessage, loadInbox } from '#capabilities/sandbox/inbox.store.ts'
import { judgeSignature } from '#capabilities/sandbox/signature-verdict.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { checkWithAllSecrets } from '#capabilities/webhooks/webhook-secrets.operation.ts'

type Needs = Pick<WebhookNeeds, 'db' | 'clock' | 'keyRing'>

export type IncomingMessage = Pick<InboxMessage, 'name' | 'method' | 'path' | 'headers' | 'body'> & {
  // What the sender is to be told, so that failures can be tried out.
  readonly answered: number
}

// What any receiver should do, in the open: check the signature over the bytes as they came, then keep them.
export async function receiveWebhook(needs: Needs, incoming: IncomingMessage): Promise<void> {
  const { name, method, path, headers, body } = incoming
  const header = (wanted: string): string => headers.find(([one]) => one === wanted)?.[1] ?? ''
  const received = {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signatures: header('webhook-signature'),
    // A GET carries its message in the address.
    body: method === 'GET' ? (path.split('?')[1] ?? '') : body.toString('utf8'),
  }
  const check = (text: string) =>
    checkWithAllSecrets(needs, `${inboxPath}/${name}`, { ...received, body: text })
  const asSent = await check(received.body)
  const rewritten = await Promise.all(rewritingsOf(received.body).map(check))
  const isSigned = [received.id, received.timestamp, received.signatures].every((value) => value !== '')
  const verdict = judgeSignature({ isSigned, asSent, rewritten: rewritten.flat() })
  await insertInboxMessage(
    needs.db,
    { ...incoming, ...verdict, receivedAt: needs.clock.now() },
    inboxShownMax,
  )
}

// What middleware makes of a body before a receiver sees it: the usual reason why signatures do not match.
function rewritingsOf(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return [JSON.stringify(parsed), JSON.stringify(parsed, null, 2), text.trim()].filter(
      (one) => one !== text,
    )
  } catch {
    return []
  }
}

export function showInbox({ db }: Pick<Needs, 'db'>): Promise<readonly InboxMessage[]> {
  return loadInbox(db, inboxShownMax)
}
