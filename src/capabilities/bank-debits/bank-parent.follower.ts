import { obstacleToCredit, obstacleToVoid } from '#capabilities/bank-debits/bank-item.ts'
import {
  creditItems,
  findItems,
  returnItems,
  type Taking,
  voidItems,
} from '#capabilities/bank-debits/bank-item.store.ts'
import { holdBackItems } from '#capabilities/bank-debits/held-credit.store.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Follower, Start } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type ParentDetail = { readonly returnCode: string }

// The debit of a void, credit or return (or the credit of a return, or one that is never sent). Its two
// transactions are one, so the guarded statement that takes the item also changes it for good, and there is
// nothing to give back later.
export const bankParentFollower: Follower<ParentDetail> = {
  name: 'bank_parent',
  begin: async (tx, starts) => {
    const { voids = [], credits = [], returns = [], holds = [] } = Object.groupBy(starts, purposeOf)
    return new Map([
      ...(await take(tx, voids, voidItems)),
      ...(await take(tx, credits, creditItems)),
      ...(await take(tx, returns, returnItems)),
      ...(await take(tx, holds, holdBackItems)),
    ])
  },
  follow: async () => undefined,
}

function purposeOf({
  attempt: { kind, details },
}: Start<ParentDetail>): 'voids' | 'credits' | 'returns' | 'holds' {
  if (kind === 'bank_void') return 'voids'
  if (kind === 'bank_credit') return 'credits'
  return details.neverSent ? 'holds' : 'returns'
}

type Refusals = readonly (readonly [AcquirerRef, Refusal<string>])[]

// A file of returns is about several accounts, whose clocks may differ: each is changed at its own moment.
async function take(
  tx: Tx,
  starts: readonly Start<ParentDetail>[],
  change: typeof voidItems,
): Promise<Refusals> {
  const missed: Start<ParentDetail>[] = []
  for (const simultaneous of Map.groupBy(starts, momentOf).values()) {
    const at = simultaneous[0]?.attempt.createdAt
    assert(at, 'a group has a first one')
    const taken = new Set(await change(tx, simultaneous.map(takingOf), at))
    missed.push(...simultaneous.filter(({ attempt }) => !taken.has(attempt.ref)))
  }
  return missed.length > 0 ? refusalsFor(tx, missed) : []
}

function momentOf({ attempt }: Start<ParentDetail>): number {
  return attempt.createdAt.epochMilliseconds
}

function takingOf({ attempt, subject, detail }: Start<ParentDetail>): Taking {
  return {
    account: attempt.accountId,
    item: subject,
    ref: attempt.ref,
    creditMinor: attempt.amounts.total.minor,
    returnCode: detail.returnCode,
  }
}

async function refusalsFor(tx: Tx, missed: readonly Start<ParentDetail>[]): Promise<Refusals> {
  const items = await findItems(
    tx,
    missed.map(({ subject }) => subject),
  )
  return missed.map(({ attempt, subject }) => {
    const found = items.get(subject)
    const item = found?.accountId === attempt.accountId ? found : null
    const [kind, obstacle] = refusalOf(attempt)
    return [attempt.ref, refuse(kind, { transaction: subject, problem: obstacle(item) }).refusal]
  })
}

function refusalOf({ kind, details }: Start<ParentDetail>['attempt']) {
  if (kind === 'bank_void' || details.neverSent) return ['debit_not_voidable', obstacleToVoid] as const
  if (kind === 'bank_credit') return ['debit_not_creditable', obstacleToCredit] as const
  return ['item_not_returnable', () => 'it is not at the bank'] as const
}
