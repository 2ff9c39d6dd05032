import { givenBackBy, refusalOf } from '#capabilities/consents/consent-limits.ts'
import {
  giveBackUse,
  lockConsents,
  type OwnedUse,
  readLimits,
  takeAllUse,
  takeUse,
} from '#capabilities/consents/consent-use.store.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { type Follower, type Moved, roundsOf, type Start } from '#engine/payments/follower.ts'
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
    const rounds = usesIn(starts)
    const [, ...missed] = await Promise.all([
      lockForRounds(tx, rounds),
      ...rounds.map((uses) => takeWhatFits(tx, uses)),
    ])
    return missed.some(({ length }) => length > 0) ? refusalsFor(tx, missed.flat()) : new Map()
  },
  beginAll: (tx, starts) => Promise.all(usesIn(starts).map((uses) => takeAllUse(tx, uses))),
  follow: async (tx, moved) => {
    const backs = sumsOf(moved.flatMap(givenBackIn))
    if (backs.length > 0) await giveBackUse(tx, backs)
  },
  takesSeveral: true,
}

// Charges of one consent take of it in rounds, in their order.
function usesIn(starts: readonly Start<ConsentDetail>[]): readonly (readonly Use[])[] {
  return roundsOf(starts.filter(isCharge)).map((round) => round.map(useOf))
}

function isCharge({ attempt }: Start<ConsentDetail>): boolean {
  return attempt.kind === 'sale'
}

function useOf({ attempt, subject, detail }: Start<ConsentDetail>): Use {
  assert(detail, 'a charge under a consent says of which day it is')
  const { accountId: account, amounts, ref } = attempt
  return { account, consent: subject, minor: amounts.total.minor, on: detail.on, ref }
}

// A consent that has no room for its first charge is not locked by the first round, and a later one would
// lock it behind others of a higher number.
async function lockForRounds(tx: Tx, [first, second]: readonly (readonly Use[])[]): Promise<void> {
  if (first && second) await lockConsents(tx, first)
}

// Answers those that did not fit.
async function takeWhatFits(tx: Tx, uses: readonly Use[]): Promise<readonly Use[]> {
  const taken = await takeUse(tx, uses)
  return uses.filter(({ consent }) => !taken.has(consent))
}

type Back = Omit<OwnedUse, 'on'>

function givenBackIn({ move, subject }: Moved): readonly Back[] {
  const minor = givenBackBy(move)
  return minor > 0n ? [{ account: move.attempt.accountId, consent: subject, minor }] : []
}

function sumsOf(backs: readonly Back[]): readonly Back[] {
  const sums = new Map<bigint, Back>()
  for (const back of backs) {
    const minor = (sums.get(back.consent)?.minor ?? 0n) + back.minor
    sums.set(back.consent, { ...back, minor })
  }
  return [...sums.values()]
}

async function refusalsFor(
  tx: Tx,
  missed: readonly Use[],
): Promise<ReadonlyMap<AcquirerRef, Refusal<string>>> {
  const limits = await readLimits(tx, missed)
  return new Map(missed.map((use) => [use.ref, refusalOf(use, limits.get(use.consent) ?? null)]))
}
