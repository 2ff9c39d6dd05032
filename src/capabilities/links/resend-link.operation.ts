import { linkEvent } from '#capabilities/links/link-event.ts'
import { markSent } from '#capabilities/links/link-life.store.ts'
import { listLinks, lockLink } from '#capabilities/links/link.store.ts'
import { type Link, standingOf } from '#capabilities/links/link.ts'
import { type FoundLink, tellOfOne } from '#capabilities/links/query-links.operation.ts'
import { messageOf } from '#capabilities/links/send-link.operation.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { queueMessage, type QueueRefusal } from '#capabilities/messages/queue-message.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { claimCallKey, findEarlier, releaseCallKey } from '#engine/idempotency/claim-keys.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import { type Ok, ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'accountClock' | 'merchantReads'> &
  Pick<FormNeeds, 'publicAddress'>
type ResendRefusal =
  | QueueRefusal
  | 'link_not_found'
  | 'link_over'
  | 'link_without_recipient'
  | 'value_out_of_range'
  | 'key_running'
// A link's words may be too long by now, and are called what they are called where they are given.
export type ResendWish = { readonly link: bigint; readonly bodyName: string }
type Sender = Pick<Caller, 'accountId' | 'merchantNumber' | 'callerKey'>

// Sends a link once more, to the same recipient and in the same words. A link that was locked
// by wrong answers or too many cards begins anew.
export async function resendLink(
  needs: Needs,
  { accountId: account, merchantNumber: merchant, callerKey }: Sender,
  { link: id, bodyName }: ResendWish,
): Promise<Result<FoundLink, ResendRefusal>> {
  const merchants = await listMerchants(needs, account)
  const made = { kind: 'link-again', link: id } as const
  const claim = callerKey && { account, callerKey, made }
  const sent = await needs.db.inTransaction(async (tx) => {
    const link = await lockLink(tx, { account, merchant, link: id })
    if (!link) return refuse('link_not_found', { link: id })
    // Somebody else was first in the very same moment, and what it did is found again by the key.
    if (claim && !(await claimCallKey(tx, claim, needs.clock.now()))) return refuse('key_running')
    const again = await sendAgain(needs, tx, { link, merchants, named: bodyName })
    if (!again.ok && claim) await releaseCallKey(tx, claim)
    return again
  })
  return sent.ok ? ok(await tellOfOne(needs, sent.value)) : sent
}

// The same answer once more, for a call that is repeated.
export async function findResentLink(needs: Needs, caller: Sender): Promise<Ok<FoundLink> | null> {
  const { accountId: account, merchantNumber: merchant, callerKey } = caller
  const earlier = callerKey && (await findEarlier(needs.db, { account, ...callerKey }))
  if (!earlier?.ok || earlier.value?.kind !== 'link-again') return null
  const any = { account, merchant, codeDigest: null, reference: '', most: 1 }
  const [found] = await listLinks(needs.db, { ...any, link: earlier.value.link })
  return found ? ok(await tellOfOne(needs, found)) : null
}

type Resending = { readonly link: Link; readonly merchants: readonly Merchant[]; readonly named: string }

async function sendAgain(
  needs: Needs,
  tx: Tx,
  { link, merchants, named }: Resending,
): Promise<Result<Link, ResendRefusal>> {
  const { linkId, accountId, merchantNumber } = link
  const at = needs.accountClock.now(accountId)
  const standing = standingOf(link, at)
  if (standing !== 'open' && standing !== 'locked')
    return refuse('link_over', { link: linkId, state: standing, verb: 'sent again' })
  const merchant = merchantNumbered(merchants, merchantNumber)
  assert(merchant, 'a link belongs to a merchant record')
  const message = messageOf(needs, { link, merchant, phone: link.phone, at, named })
  if (!message.ok) return message
  const isUnlocked = { wrongAnswers: 0, isLocked: false, rounds: link.rounds + (link.isLocked ? 1 : 0) }
  // The merchant's system brings it to the payer itself, and says that it has.
  if (!message.value && standing === 'locked') {
    await markSent(tx, linkId, null)
    return ok({ ...link, ...isUnlocked })
  }
  if (!message.value) return refuse('link_without_recipient', { link: linkId })
  const queued = await queueMessage(tx, message.value)
  if (!queued.ok) return queued
  await markSent(tx, linkId, at)
  await appendEvents(tx, [linkEvent('link.sent', link, message.value.channel)], at)
  return ok({ ...link, ...isUnlocked, sentAt: at })
}
