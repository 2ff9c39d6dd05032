import { markWithdrawn } from '#capabilities/links/link-life.store.ts'
import { lockLink } from '#capabilities/links/link.store.ts'
import { standingOf } from '#capabilities/links/link.ts'
import { type FoundLink, tellOfOne } from '#capabilities/links/query-links.operation.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { endMessagesOfLinks } from '#capabilities/messages/messages-of-links.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'accountClock'> &
  Pick<FormNeeds, 'publicAddress'>
export type LinkOwner = Pick<Caller, 'accountId' | 'merchantNumber'>

// Ends a link that nobody shall pay any more, and what still waits to be sent for it. One that was withdrawn
// before stays so; one that is paid, or being paid in this moment, is not touched.
export async function withdrawLink(
  needs: Needs,
  { accountId: account, merchantNumber: merchant }: LinkOwner,
  { link: id }: { readonly link: bigint },
): Promise<Result<FoundLink, 'link_not_found' | 'link_over'>> {
  const at = needs.accountClock.now(account)
  const ended = await needs.db.inTransaction(async (tx) => {
    const link = await lockLink(tx, { account, merchant, link: id })
    if (!link) return refuse('link_not_found', { link: id })
    if (link.state === 'withdrawn') return ok(link)
    const standing = standingOf(link, at)
    if (link.state !== 'open' || standing === 'expired')
      return refuse('link_over', { link: id, state: standing, verb: 'withdrawn' })
    await markWithdrawn(tx, link.linkId, at)
    const because = 'The link was withdrawn'
    await endMessagesOfLinks(needs, tx, { linkIds: [link.linkId], because })
    return ok({ ...link, state: 'withdrawn', endedAt: at } as const)
  })
  return ended.ok ? ok(await tellOfOne(needs, ended.value)) : ended
}
