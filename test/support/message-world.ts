import assert from 'node:assert/strict'
import { deliverChannel, wakeChannels } from '#capabilities/messages/deliver-channel.operation.ts'
import { listMessages } from '#capabilities/messages/show-messages.operation.ts'
import type { Senders } from '#capabilities/messages/message-needs.ts'
import type { NewMessage, StoredMessage } from '#capabilities/messages/message.ts'
import { queueMessage, type Queued } from '#capabilities/messages/queue-message.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeAccount, type World } from './session-world.ts'

export type MessageDesk = { readonly needs: World; readonly account: Awaited<ReturnType<typeof makeAccount>> }

const forgetMessages = statement('forget_messages', [], {}, 'delete from message')
const healLanes = statement('heal_lanes', [], {}, `update message_lane set failures = 0, paused_until = null`)

// An account that sends messages from its first merchant record. What other tests left waiting is gone.
export async function openDesk(needs: World): Promise<MessageDesk> {
  await needs.db.run(forgetMessages, [])
  await needs.db.run(healLanes, [])
  return { needs, account: await makeAccount(needs) }
}

// States after which the same statement may succeed: a lock or the statement itself took too long, another
// transaction went first, a deadlock, a full disk, a server that goes down.
export const passingStates = ['55P03', '57014', '40001', '40P01', '53100', '57P01']
export const lastingState = '22008'

const refusals = new Map(
  [...passingStates, lastingState].map((state) => [
    state,
    statement(
      `refuse_message_${state}`,
      [],
      {},
      `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`,
    ),
  ]),
)

// A world whose database refuses messages with one of these states until it is healed.
export function refusingMessages(needs: World, state: string) {
  const refusal = refusals.get(state)
  assert(refusal)
  let isRefusing = true
  const inTransaction: World['db']['inTransaction'] = (work, saying) =>
    needs.db.inTransaction((tx) => {
      const run: typeof tx.run = async (asked, values) => {
        if (isRefusing && asked.name === 'insert_message') await tx.run(refusal, [])
        return tx.run(asked, values)
      }
      return work({ ...tx, run })
    }, saying)
  const heal = () => {
    isRefusing = false
  }
  return { needs: { ...needs, db: { ...needs.db, inTransaction } }, heal }
}

export function newText(
  { needs, account: { accountId } }: MessageDesk,
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

export function newMail(desk: MessageDesk, changes: Partial<NewMessage> = {}): NewMessage {
  return newText(desk, {
    channel: 'email',
    recipient: 'ada@example.com',
    subject: 'Your bill from Corner Books',
    html: '<p>Please pay</p>',
    ...changes,
  })
}

export function queue({ needs }: MessageDesk, message: NewMessage): Promise<Queued> {
  return needs.db.inTransaction((tx) => queueMessage(tx, message))
}

export async function mustQueue(desk: MessageDesk, message: NewMessage): Promise<bigint> {
  const queued = await queue(desk, message)
  assert(queued.ok, queued.ok ? '' : queued.refusal.kind)
  return queued.value.messageId
}

// The same desk with other senders.
export function withSenders(desk: MessageDesk, senders: Partial<Senders>): MessageDesk {
  return { ...desk, needs: { ...desk.needs, senders: { ...desk.needs.senders, ...senders } } }
}

// One round: whatever is due is tried.
export async function deliver({ needs }: MessageDesk): Promise<void> {
  const { signal } = new AbortController()
  const channels = await wakeChannels(needs)
  await Promise.all(channels.map((channel) => deliverChannel(needs, { channel, signal, stopping: signal })))
}

// Oldest first.
export async function messagesOf({ needs, account }: MessageDesk): Promise<readonly StoredMessage[]> {
  const wanted = { accountId: account.accountId, state: null, most: 1_000 }
  return (await listMessages(needs, wanted)).toReversed()
}

export async function statesOf(desk: MessageDesk): Promise<readonly string[]> {
  return (await messagesOf(desk)).map(({ state }) => state)
}
