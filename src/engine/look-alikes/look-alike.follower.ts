import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { freesReferences } from '#engine/look-alikes/look-alike.ts'
import { free, lockAndTake, readTakers, takeAll, type Taking } from '#engine/look-alikes/look-alike.store.ts'
import type { Follower, Start } from '#engine/payments/follower.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// How long a charge counts. A void takes nothing, so it needs none.
export type LookAlikeDetail = { readonly seconds: number } | null

// A reference of the caller's with the record, consent and total that it is charged for: of equal charges one
// takes it, and the others are turned down before anything is sent. It is free again once it is certain
// that nothing was charged, or the charge is voided. Its subject is a digest (likenessOf).
export const lookAlikeFollower: Follower<LookAlikeDetail> = {
  name: 'look_alike',
  begin: async (tx, starts) => {
    const takings = starts.flatMap(takingOf)
    if (takings.length === 0) return new Map()
    const taken = await lockAndTake(tx, takings)
    return taken.size === takings.length ? new Map() : refusalsFor(tx, takings, taken)
  },
  beginAll: async (tx, starts) => {
    const takings = starts.flatMap(takingOf)
    if (takings.length > 0) await takeAll(tx, takings)
  },
  follow: async (tx, moved) => {
    const freed = moved.filter(({ move }) => freesReferences(move))
    if (freed.length === 0) return
    await free(
      tx,
      freed.map(({ move: { attempt }, subject: likeness }) => {
        return { account: attempt.accountId, likeness, ref: attempt.ref, parent: attempt.parentId }
      }),
    )
  },
}

function takingOf({ attempt, subject: likeness, detail }: Start<LookAlikeDetail>): readonly Taking[] {
  if (!detail) return []
  const { accountId: account, ref, createdAt: seenAt } = attempt
  return [{ account, likeness, ref, seenAt, overAt: seenAt.add({ seconds: detail.seconds }) }]
}

// Whoever names two references and gets one of them gives it back: nobody else does for who is turned down.
async function refusalsFor(
  tx: Tx,
  takings: readonly Taking[],
  taken: ReadonlySet<bigint>,
): Promise<ReadonlyMap<AcquirerRef, Refusal<string>>> {
  const missed = takings.filter(({ likeness }) => !taken.has(likeness))
  const takers = await readTakers(tx, missed)
  const refusals = new Map(
    missed.map(({ ref, likeness }) => {
      return [ref, refuse('look_alike', { transaction: takers.get(likeness) ?? 0n }).refusal]
    }),
  )
  const halves = takings.filter(({ ref, likeness }) => refusals.has(ref) && taken.has(likeness))
  if (halves.length > 0)
    await free(
      tx,
      halves.map((half) => ({ ...half, parent: null })),
    )
  return refusals
}
