import assert from 'node:assert/strict'
import type { NewMessage } from '#capabilities/messages/message.ts'
import { queueMessage, type Queued } from '#capabilities/messages/queue-message.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeAccount, type World } from './session-world.ts'

export type Sending = { readonly needs: World; readonly account: Awaited<ReturnType<typeof makeAccount>> }

// An account that sends messages from its first merchant record.
export async function openDesk(needs: World): Promise<Sending> {
  return { needs, account: await makeAccount(needs) }
}

export function newText(
  { needs, account: { accountId } }: Sending,
  changes: Partial<NewMessage> = {},
): NewMessage {
  return {
    accountId,
    merchantNumber: merchantNumber(1),
    channel: 'text',
    recipient: '+12125550123',
    purpose: 'link',
    subject: '',
    text: 'Corner Books: please pay $12.50 at https://pay.example/sw/abc',
    html: null,
    linkId: null,
    at: needs.accountClock.now(accountId),
    ...changes,
  }
}

export function newMail(desk: Sending, changes: Partial<NewMessage> = {}): NewMessage {
  return newText(desk, {
    channel: 'email',
    recipient: 'ada@example.com',
    subject: 'Your bill from Corner Books',
    html: '<p>Please pay</p>',
    ...changes,
  })
}

export function queue({ needs }: Sending, message: NewMessage): Promise<Queued> {
  return needs.db.inTransaction((tx) => queueMessage(tx, message))
}

export async function mustQueue(desk: Sending, message: NewMessage): Promise<bigint> {
  const queued = await queue(desk, message)
  assert(queued.ok, queued.ok ? '' : queued.refusal.kind)
  return queued.value.messageId
}
