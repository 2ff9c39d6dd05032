import { digestOfCode, linkAddress } from '#capabilities/links/link-code.operation.ts'
import { countOpen } from '#capabilities/links/link-life.store.ts'
import { listLinks } from '#capabilities/links/link.store.ts'
import { type Link, type LinkStanding, standingOf } from '#capabilities/links/link.ts'
import type { MessageState } from '#capabilities/messages/message.ts'
import { stateOfLinkMessages } from '#capabilities/messages/messages-of-links.operation.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'
import { type Newest, newestOf, soughtMax } from '#kernel/newest.ts'
import { ok, type Ok } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

export type LinkQuery = {
  readonly link: bigint | null
  readonly code: Secret | null
  // Of the merchant's, or the recipient; empty for any.
  readonly reference: string
}

export type FoundLink = {
  readonly link: Link
  readonly standing: LinkStanding
  readonly url: string
  // What became of its newest message; null where none was sent.
  readonly message: { readonly state: MessageState; readonly problem: string } | null
}

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'accountClock'> & Pick<FormNeeds, 'publicAddress'>
type Asker = Pick<Caller, 'accountId' | 'merchantNumber'>

// What became of links, newest first.
export async function queryLinks(
  needs: Needs,
  { accountId: account, merchantNumber: merchant }: Asker,
  { link, code, reference }: LinkQuery,
): Promise<Ok<Newest<FoundLink>>> {
  const codeDigest = code && digestOfCode(needs, code)
  const sought = { account, merchant, link, codeDigest, reference, most: soughtMax }
  const { found: links, isCut } = newestOf(await listLinks(needs.db, sought))
  return ok({ found: await tellOf(needs, links), isCut })
}

// Links of one account, with what is true of them now.
export async function tellOf(needs: Needs, links: readonly Link[]): Promise<readonly FoundLink[]> {
  const [first] = links
  if (!first) return []
  const now = needs.accountClock.now(first.accountId)
  const ids = links.map(({ linkId }) => linkId)
  const messages = await stateOfLinkMessages(needs, first.accountId, ids)
  return links.map((link) => ({
    link,
    standing: standingOf(link, now),
    url: linkAddress(needs, link),
    message: messages.get(link.linkId) ?? null,
  }))
}

export async function tellOfOne(needs: Needs, link: Link): Promise<FoundLink> {
  const [found] = await tellOf(needs, [link])
  assert(found, 'what is told of is told')
  return found
}

// Those that somebody may still pay.
export function countOpenLinks({ db }: Pick<EngineContext, 'db'>, account: AccountId): Promise<bigint> {
  return countOpen(db, account)
}
