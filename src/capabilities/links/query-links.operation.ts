import { digestOfCode, linkAddress } from '#capabilities/links/link-code.operation.ts'
import { listLinks } from '#capabilities/links/link.store.ts'
import { type Link, type LinkStanding, standingOf } from '#capabilities/links/link.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { ok, type Ok } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

export type LinkQuery = {
  readonly link: bigint | null
  readonly code: Secret | null
  // Of the merchant's, or the recipient; empty for any.
  readonly reference: string
}

export type FoundLink = { readonly link: Link; readonly standing: LinkStanding; readonly url: string }

const shownMax = 100

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'accountClock'> & Pick<FormNeeds, 'publicAddress'>
type Asker = Pick<Caller, 'accountId' | 'merchantNumber'>

// What became of links, newest first.
export async function queryLinks(
  needs: Needs,
  { accountId: account, merchantNumber: merchant }: Asker,
  { link, code, reference }: LinkQuery,
): Promise<Ok<readonly FoundLink[]>> {
  const codeDigest = code && digestOfCode(needs, code)
  const found = await listLinks(needs.db, { account, merchant, link, codeDigest, reference, most: shownMax })
  return ok(found.map((one) => foundOf(needs, one)))
}

export function foundOf(needs: Needs, link: Link): FoundLink {
  const now = needs.accountClock.now(link.accountId)
  return { link, standing: standingOf(link, now), url: linkAddress(needs, link) }
}
