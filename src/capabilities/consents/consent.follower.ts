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
    const rounds = roundsOf(starts.flatMap(useOf))
    const missed = await Promise.all(
      rounds.map(async (uses) => {
        const taken = await lockAndTakeUse(tx, uses)
        return uses.filter(({ consent }) => !taken.has(consent))
      }),
    )
    return missed.some(({ length }) => length > 0) ? refusalsFor(tx, missed.flat()) : new Map()
  },
  beginAll: (tx, starts) => Promise.all(roundsOf(starts.flatMap(useOf)).map((uses) => takeAllUse(tx, uses))),
  follow: async (tx, moved) => {
    const returns = sumsOf(moved.flatMap(returnOf))
    if (returns.length > 0) await giveBackUse(tx, returns)
  },
  takesSeveral: true,
}

// One statement changes a consent once, so charges of the same one take of it in rounds, in their order. The
// first locks all consents, in the order of the starts.
function roundsOf(uses: readonly Use[]): readonly (readonly Use[])[] {
  const rounds: Use[][] = []
  const madeBy = new Map<bigint, number>()
  for (const use of uses) {
    const round = madeBy.get(use.consent) ?? 0
    madeBy.set(use.consent, round + 1)
    ;(rounds[round] ??= []).push(use)
  }
  return rounds
}

type Return = Omit<OwnedUse, 'on'>

function sumsOf(returns: readonly Return[]): readonly Return[] {
  const sums = new Map<bigint, Return>()
  for (const one of returns) {
    const minor = (sums.get(one.consent)?.minor ?? 0n) + one.minor
    sums.set(one.consent, { ...one, minor })
  }
  return [...sums.values()]
}

function useOf({ attempt, subject, detail }: Start<ConsentDetail>): readonly Use[] {
  if (attempt.kind !== 'sale') return []
  assert(detail, 'a charge under a consent says of which day it is')
  const { accountId: account, amounts, ref } = attempt
  return [{ account, consent: subject, minor: amounts.total.minor, on: detail.on, ref }]
}

function returnOf({ move, subject }: Moved): readonly Return[] {
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
