import {
  claimMessage,
  type ClaimedMessage,
  endAbandonedMails,
  endAbandonedTexts,
  keepParts,
  listDueChannels,
  type MessageReport,
  reportMessage,
} from '#capabilities/messages/delivery.store.ts'
import { healLane, listLanes, lockLane, restLane } from '#capabilities/messages/lane.store.ts'
import { withLink } from '#capabilities/messages/link-mark.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { Channel } from '#capabilities/messages/message.ts'
import { applyEarlyReceipts, settleMessage } from '#capabilities/messages/receipt.store.ts'
import { delayAfter, outagesMax, restAfter, suspectsMax } from '#capabilities/messages/retry-rule.ts'
import type { Opened, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import { stoppedBecause, stopPhone } from '#capabilities/messages/inbound.store.ts'
import { maskCardNumbers } from '#kernel/card-in-text.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { enqueue } from '#platform/tasks/task-queue.ts'
import type { DueTask, TaskKind } from '#platform/tasks/task.ts'

type Needs = Pick<MessageNeeds, 'deliveryDb' | 'clock' | 'senders' | 'linkAddressOf' | 'sending' | 'log'>

// Longer than any sender takes for one message, so that nobody else has it meanwhile.
const claimSeconds = 180
// A channel with much to send lets others have a turn.
const turnMs = 20_000

export const deliverChannelKind: TaskKind<null> = { kind: 'messages.deliver', read: () => null }

// Asks for a run of every channel in which something is due.
export async function wakeChannels({ deliveryDb, clock, sending }: Needs): Promise<readonly Channel[]> {
  if (sending.hold) return []
  const channels = await listDueChannels(deliveryDb, clock.now())
  const tasks = channels.map((channel) => ({ key: channel, payload: null }))
  if (tasks.length > 0) await enqueue(deliveryDb, deliverChannelKind, ...tasks)
  return channels
}

type Turn = Pick<DueTask<null>, 'signal' | 'stopping'> & { readonly channel: Channel }

// Sends what is due in one channel, the oldest first and one at a time, until nothing is due, the channel has
// to rest, its turn is over or the node stops.
export async function deliverChannel(needs: Needs, { channel, signal, stopping }: Turn): Promise<void> {
  const { deliveryDb, clock, sending } = needs
  const sender = needs.senders[channel]
  const end = clock.now().add({ milliseconds: turnMs })
  await (channel === 'text' ? giveUpAbandoned(needs) : endAbandonedMails(deliveryDb, clock.now()))
  let suspects: readonly ClaimedMessage[] = []
  const mayGoOn = () => !signal.aborted && !stopping.aborted && !sending.hold
  while (mayGoOn() && Temporal.Instant.compare(clock.now(), end) <= 0) {
    if (suspects.length === 0 && (await isResting(needs, channel))) return
    // Before a message is taken in hand, because a text in hand that nobody reports on is not sent again.
    const opened = await openUnless(stopping, sender)
    if (!opened) return
    if (!opened.isOpen) return rest(needs, channel, opened.because)
    const now = clock.now()
    const until = now.add({ seconds: claimSeconds })
    const behind = suspects.at(-1)?.messageId ?? null
    const claimed = await claimMessage(deliveryDb, { channel, now, until, sender: sender.name, behind })
    if (!claimed) return
    if (claimed.isStopped) await endStopped(needs, sender, claimed)
    else suspects = await tryToSend(needs, { channel, sender, claimed, suspects })
  }
}

// Nothing is in hand yet, so a node that stops does not wait for it: it answers null then.
async function openUnless(stopping: AbortSignal, sender: Sender): Promise<Opened | null> {
  if (stopping.aborted) return null
  const { promise: stopped, resolve } = Promise.withResolvers<null>()
  const stop = (): void => resolve(null)
  stopping.addEventListener('abort', stop)
  try {
    return await Promise.race([sender.open(), stopped])
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}

// Answers the messages behind which to go on at once although the lane rests.
async function tryToSend(needs: Needs, trial: Omit<Tried, 'outcome'>): Promise<readonly ClaimedMessage[]> {
  const { deliveryDb, clock } = needs
  const { sender, claimed } = trial
  const { messageId } = claimed
  const outcome = await sender.send(withLink(needs, claimed), (part) =>
    keepParts(deliveryDb, { messageId, sender: sender.name, parts: [part], at: clock.now() }),
  )
  return deliveryDb.inTransaction((tx) => record(needs, tx, { ...trial, outcome }))
}

async function endStopped({ deliveryDb, clock }: Needs, sender: Sender, claimed: ClaimedMessage) {
  const { messageId, fence, tries } = claimed
  const verdict = { state: 'dead', problem: stoppedBecause, tries, outages: 0, nextTryAt: null } as const
  const report = { messageId, fence, sender: sender.name, parts: [], at: clock.now(), ...verdict }
  await deliveryDb.inTransaction((tx) => reportMessage(tx, report))
}

// An e-mail is sent again: mailboxes fold what has the same Message-ID, and a letter lost is worse. A text
// costs money and rings twice: whoever sent it decides.
async function giveUpAbandoned({ deliveryDb, clock, log }: Needs): Promise<void> {
  const because = 'The gateway stopped while the text was being sent; it may have been'
  const given = await endAbandonedTexts(deliveryDb, { at: clock.now(), because })
  if (given.length > 0) log.warn({ messages: given.map(String) }, 'It is not known whether texts were sent')
}

async function isResting({ deliveryDb, clock }: Needs, channel: Channel): Promise<boolean> {
  const lane = (await listLanes(deliveryDb)).find((one) => one.channel === channel)
  const until = lane?.pausedUntil ?? null
  return until !== null && Temporal.Instant.compare(until, clock.now()) > 0
}

function rest(needs: Needs, channel: Channel, because: string): Promise<void> {
  return needs.deliveryDb.inTransaction(async (tx) => {
    await restFor(needs, tx, { channel, because, failures: await lockLane(tx, channel) })
  })
}

type Outage = {
  readonly channel: Channel
  readonly because: string
  readonly failures: number
  readonly kind?: 'away' | 'unknown'
}

async function restFor({ clock, log }: Needs, tx: Tx, outage: Outage): Promise<void> {
  const { channel, failures, kind } = outage
  const because = maskCardNumbers(outage.because)
  const at = clock.now()
  const until = at.add({ milliseconds: restAfter(failures + 1, kind) })
  await restLane(tx, channel, { at, until, because })
  if (failures === 0) log.warn({ channel, because }, 'Messages wait, because their sender is away')
}

type Tried = {
  readonly channel: Channel
  readonly sender: Sender
  readonly claimed: ClaimedMessage
  readonly outcome: SendOutcome
  // Older ones for which the sender was away just now, as it has been for long.
  readonly suspects: readonly ClaimedMessage[]
}

// Locks the lane and then the message, like whoever hears of receipts.
async function record(needs: Needs, tx: Tx, tried: Tried): Promise<readonly ClaimedMessage[]> {
  const { channel, sender, claimed, outcome, suspects } = tried
  const failures = await lockLane(tx, channel)
  const at = needs.clock.now()
  const { messageId, fence } = claimed
  const { parts } = outcome
  const report = { messageId, fence, sender: sender.name, parts, at, ...judge(tried, at) }
  if (!(await reportMessage(tx, report))) return []
  await applyEarlyReceipts(tx, messageId, at)
  if (report.state === 'sent') await settleMessage(tx, messageId, at)
  if (outcome.kind === 'refused' && outcome.isStopped) await stopPhone(tx, claimed.recipient, at)
  if (outcome.kind === 'busy' || outcome.kind === 'unknown') {
    const kind = outcome.kind === 'unknown' && channel === 'text' ? 'unknown' : 'away'
    await restFor(needs, tx, { channel, because: outcome.because, failures, kind })
    const isSuspect = report.outages >= outagesMax && suspects.length < suspectsMax
    return isSuspect ? [...suspects, claimed] : []
  }
  // The sender works: it was away for those alone.
  for (const suspect of suspects) await putOff(tx, { ...tried, claimed: suspect }, at)
  await healLane(tx, channel)
  return []
}

async function putOff(tx: Tx, { claimed, sender }: Tried, at: Temporal.Instant): Promise<void> {
  const { messageId, fence } = claimed
  const verdict = tryLater(claimed, { problem: 'The sender takes others, but not this one', at })
  await reportMessage(tx, { messageId, fence, sender: sender.name, parts: [], at, ...verdict })
}

type Verdict = Pick<MessageReport, 'state' | 'problem' | 'tries' | 'outages' | 'nextTryAt'>

function judge({ channel, claimed, outcome }: Tried, at: Temporal.Instant): Verdict {
  const { tries, outages } = claimed
  const ended = { tries: tries + 1, outages: 0, nextTryAt: null }
  if (outcome.kind === 'sent')
    return { state: outcome.hasArrived ? 'delivered' : 'sent', problem: '', ...ended }
  const problem = maskCardNumbers(outcome.because)
  if (outcome.kind === 'refused') return { state: 'dead', problem, ...ended }
  if (outcome.kind === 'unknown' && channel === 'text') return { state: 'unknown', problem, ...ended }
  if (outcome.kind === 'later') return tryLater(claimed, { problem, at })
  // Each try may be one more copy, so there are not more of them than of any other.
  if (outcome.kind === 'unknown') return tryLater(claimed, { problem, at, end: 'unknown' })
  // It keeps its place: the channel rests, and nothing overtakes it.
  return { state: 'waiting', problem, tries, outages: outages + 1, nextTryAt: null }
}

type Delay = {
  readonly problem: string
  readonly at: Temporal.Instant
  // What becomes of it when there is no further try.
  readonly end?: 'dead' | 'unknown'
}

function tryLater({ tries }: Pick<ClaimedMessage, 'tries'>, { problem, at, end = 'dead' }: Delay): Verdict {
  const delayMs = delayAfter(tries + 1)
  const counted = { problem, tries: tries + 1, outages: 0 }
  if (delayMs === null) return { state: end, ...counted, nextTryAt: null }
  return { state: 'waiting', ...counted, nextTryAt: at.add({ milliseconds: delayMs }) }
}
