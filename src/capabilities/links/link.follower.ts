import { beginPaying, markPaid, reopen } from '#capabilities/links/link-life.store.ts'
import { endMessagesOfLinks } from '#capabilities/messages/messages-of-links.operation.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { printMoney } from '#kernel/money.ts'
import { refuse } from '#kernel/result.ts'

// The link whose payer is paying. One for a single payment is taken here, in the commit before anything is
// sent, and not when somebody looks at it. It is open again once it is certain that nothing was charged.
export const linkFollower: Follower<null> = {
  name: 'link',
  begin: async (tx, starts) => {
    const taken = await beginPaying(
      tx,
      starts.map(({ attempt: { accountId: account, ref, createdAt: at }, subject: link }) => ({
        link,
        account,
        ref,
        at,
      })),
    )
    const missed = starts.filter(({ subject }) => !taken.has(subject))
    return new Map(missed.map(({ attempt }) => [attempt.ref, refuse('link_not_open').refusal]))
  },
  follow: async (tx, moved) => {
    const { at, recordedAt } = moved[0]?.move ?? {}
    const paid = moved.filter(({ move }) => move.to === 'approved')
    const freed = moved.filter(({ move }) => hasNoEffect(move.to))
    if (freed.length > 0) await reopen(tx, freed.map(keyOf))
    if (paid.length === 0 || !at || !recordedAt) return
    const over = await markPaid(
      tx,
      paid.map((one) => ({ ...keyOf(one), transaction: one.move.attempt.attemptId })),
      at,
    )
    // Nobody is asked for money who has paid. Messages are sent, and forgotten, by real time.
    await endMessagesOfLinks({ clock: { now: () => recordedAt } }, tx, {
      linkIds: over,
      because: 'The link is paid',
    })
    await appendEvents(tx, paid.map(paidEvent), at)
  },
}

function keyOf({ move: { attempt }, subject: link }: Moved) {
  return { link, account: attempt.accountId, ref: attempt.ref }
}

function paidEvent({ move: { attempt }, subject: objectId }: Moved): NewEvent {
  const { accountId, attemptId, merchantNumber, approved, details } = attempt
  const body = {
    merchant: String(merchantNumber),
    amount: printMoney(approved.total),
    currency: approved.total.currency,
    channel: '',
    transaction: String(attemptId),
    clientRef: details.clientRef,
    guid: details.guid,
  }
  return { accountId, type: 'link.paid', objectId, body }
}
