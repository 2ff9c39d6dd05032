import { laneOfPost, type NewDelivery } from '#capabilities/webhooks/delivery.ts'
import { insertDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import { webhookId } from '#platform/crypto/standard-webhooks.ts'
import type { Tx } from '#platform/postgres/database.ts'

// A message to an address that is no registered endpoint, such as the one that a form was given.
export type QueuedPost = {
  readonly accountId: AccountId
  // Names the message within its account, such as form_12: the same message queued twice is sent once.
  readonly key: string
  // Was judged by readTarget when it was taken, and is judged so again whenever it is called.
  readonly url: string
  // JSON goes as POST; query members are added to the address of a GET.
  readonly content:
    | { readonly kind: 'json'; readonly text: string }
    | { readonly kind: 'query'; readonly members: Readonly<Record<string, string>> }
  // By the clock of the account.
  readonly at: Temporal.Instant
}

// Part of the transaction that makes the change, so that neither exists without the other. Sent as soon as it
// is committed, signed with the account's secret, retried, logged and replayed like every webhook.
export async function queuePosts(tx: Tx, posts: readonly QueuedPost[]): Promise<void> {
  await insertDeliveries(tx, posts.map(deliveryOf))
}

function deliveryOf({ accountId, key, url, content, at }: QueuedPost): NewDelivery {
  const address = content.kind === 'json' ? url : addressWith(url, content.members)
  const body = content.kind === 'json' ? content.text : ''
  return {
    accountId,
    lane: laneOfPost(accountId, url),
    endpointId: null,
    eventId: null,
    messageId: webhookId(key, content.kind === 'json' ? body : address),
    method: content.kind === 'json' ? 'POST' : 'GET',
    url: address,
    body,
    at,
  }
}

function addressWith(url: string, members: Readonly<Record<string, string>>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(members)) address.searchParams.set(name, value)
  return address.href
}
