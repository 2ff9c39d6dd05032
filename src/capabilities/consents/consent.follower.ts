import { givenBackBy, refusalOf } from '#capabilities/consents/consent-limits.ts'
import {
  giveBackUse,
  lockAndTakeUse,
  type OwnedUse,
  readLimits,
  takeAllUse,
} from '#capabilities/consents/consent-use.store.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Follower, Moved, Start } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import type { Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// The business date of the charge at the consent's merchant record. A void needs none.
export type ConsentDetail = { readonly on: Temporal.PlainDate } | null

type Use = OwnedUse & { readonly ref: AcquirerRef }

// The consent that a charge is made under: takes of its limits before anything is sent, and gives back what
// was not charged. A void follows the consent of its sale and gives back too.
export const consentFollower: Follower<ConsentDetail> = {
  name: 'consent',
  begin: async (tx, starts) => {
    const uses = starts.flatMap(useOf)
    if (uses.length === 0) return new Map()
    const taken = await lockAndTakeUse(tx, uses)
    if (taken.size === uses.length) return new Map()
    return refusalsFor(
      tx,
      uses.filter(({ consent }) => !taken.has(consent)),
    )
  },
  beginAll: async (tx, starts) => {
    const uses = starts.flatMap(useOf)
    if (uses.length > 0) await takeAllUse(tx, uses)
  },
  follow: async (tx, moved) => {
    const returns = moved.flatMap(returnOf)
    if (returns.length > 0) await giveBackUse(tx, returns)
  },
}

function useOf({ attempt, subject, detail }: Start<ConsentDetail>): readonly Use[] {
  if (attempt.kind !== 'sale') return []
  assert(detail, 'a charge under a consent says of which day it is')
  const { accountId: account, amounts, ref } = attempt
  return [{ account, consent: subject, minor: amounts.total.minor, on: detail.on, ref }]
}

function returnOf({ move, subject }: Moved): readonly Omit<OwnedUse, 'on'>[] {
  const minor = givenBackBy(move)
  return minor > 0n ? [{ account: move.attempt.accountId, consent: subject, minor }] : []
}

async function refusalsFor(
  tx: Tx,
  missed: readonly Use[],
): Promise<ReadonlyMap<AcquirerRef, Refusal<string>>> {
  const limits = await readLimits(tx, missed)
  return new Map(missed.map((use) => [use.ref, refusalOf(use, limits.get(use.consent) ?? null)]))
}
