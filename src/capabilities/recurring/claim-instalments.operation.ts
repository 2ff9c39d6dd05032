import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Claim, DueClaim, DueQuestion, NamedQuestion } from '#capabilities/recurring/instalment-claim.ts'
import { claimDue, claimNamed, releaseClaims } from '#capabilities/recurring/instalment-claim.store.ts'
import type { EngineContext } from '#engine/context.ts'

type Needs = Pick<EngineContext, 'db'>

// Whoever is about to charge instalments claims them, so that nobody else prepares the same ones. That saves
// work and guards nothing: each is taken by its follower when its attempt is recorded.
export function claimDueInstalments(
  { db }: Needs,
  due: DueQuestion,
  claim: DueClaim,
): Promise<readonly Instalment[]> {
  return claimDue(db, due, claim)
}

// Those that somebody else has claimed are left out.
export function claimNamedInstalments(
  { db }: Needs,
  named: NamedQuestion,
  claim: Claim,
): Promise<readonly Instalment[]> {
  return claimNamed(db, named, claim)
}

export function giveClaimsBack(
  { db }: Needs,
  instalments: readonly InstalmentId[],
  { until }: Claim,
): Promise<void> {
  return releaseClaims(db, instalments, until)
}
