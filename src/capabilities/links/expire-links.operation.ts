import { linkEvent } from '#capabilities/links/link-event.ts'
import { accountsToExpire, expire, nextExpiry } from '#capabilities/links/link-life.store.ts'
import { listLinks } from '#capabilities/links/link.store.ts'
import type { Link } from '#capabilities/links/link.ts'
import { endMessagesOfLinks } from '#capabilities/messages/messages-of-links.operation.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printWithCurrency } from '#kernel/money.ts'

type Needs = Pick<EngineContext, 'db' | 'clock'>

export function accountsWithOldLinks(
  { db }: Pick<Needs, 'db'>,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return accountsToExpire(db, at)
}

export function nextOldLink(
  { db }: Needs,
  { accountId: account, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  return nextExpiry(db, { account, after, until })
}

// Tells that the time of links is over. Nobody could begin to pay them any more as soon as it was; while
// somebody who had begun is at the bank, it is not told.
export async function expireLinks(needs: Needs, due: DueMoment, linksAtOnce = 100): Promise<void> {
  const { accountId, at } = due
  await runPortions(due, linksAtOnce, async () => {
    const expired = await needs.db.inTransaction(async (tx) => {
      const ids = await expire(tx, { account: accountId, at, most: linksAtOnce })
      const any = { account: accountId, merchant: null, codeDigest: null, reference: '', most: 1 }
      const links: Link[] = []
      for (const link of ids) links.push(...(await listLinks(tx, { ...any, link })))
      await endMessagesOfLinks(needs, tx, { linkIds: ids, because: 'The link has expired' })
      await appendEvents(
        tx,
        links.map((link) => linkEvent('link.expired', link)),
        at,
      )
      return links
    })
    await due.tell(expired.map(entryOf))
    return expired.length
  })
}

function entryOf({ linkId, expiresAt, endedAt, amount, payments }: Link): DiaryEntry {
  const sum = amount ? ` of ${printWithCurrency(amount)}` : ''
  const paid = payments === 0 ? 'nobody has paid it' : `it was paid ${payments} times`
  return {
    at: endedAt ?? expiresAt,
    what: 'link.expired',
    subject: linkId,
    text: `Link ${linkId}${sum} expired: ${paid}`,
  }
}
