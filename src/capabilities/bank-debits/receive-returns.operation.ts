import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { type AppliedReturns, applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import {
  type DueReturns,
  findAccountsDue,
  findDue,
  findNextDue,
  finishReturns,
} from '#capabilities/bank-debits/bank-file.store.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import type { DueSpan } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'

export type Needs = AchNeeds &
  Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'followers' | 'vault' | 'keyRing'>
type Moment = {
  readonly accountId: AccountId
  readonly at: Temporal.Instant
  readonly signal?: AbortSignal
}

export type ReceivedReturns = DueReturns & { readonly applied: AppliedReturns }

type Reads = Pick<EngineContext, 'db'>

export function accountsWithReturns({ db }: Reads, at: Temporal.Instant): Promise<readonly AccountId[]> {
  return findAccountsDue(db, at)
}

export function nextReturns({ db }: Reads, span: DueSpan): Promise<Temporal.Instant | null> {
  return findNextDue(db, span)
}

const nothing: AppliedReturns = { returned: [], heldBack: [], corrected: [], known: 0 }

// Asks the simulated bank what it sends back for each file whose day has come, and applies it as a file from
// the operator would be. Dying in between does no harm: what was applied is known the next time, and told
// before its file is done with.
export async function* receiveReturns(needs: Needs, moment: Moment): AsyncIterable<ReceivedReturns> {
  if (!needs.achBank) return
  for (const due of await findDue(needs.db, moment)) {
    if (moment.signal?.aborted) return
    const file = await printBankFile(needs, due.batchId)
    assert(file.ok, 'a file that was made can be printed')
    const back = await needs.achBank.returnsFor(file.value, dateIn('UTC', due.dueAt))
    const applied = back === null ? nothing : await applyFrom(needs, back)
    yield { ...due, applied }
    await needs.db.inTransaction((tx) => finishReturns(tx, due.batchId, moment.at))
  }
}

async function applyFrom(needs: Needs, file: string): Promise<AppliedReturns> {
  const applied = await applyReturns(needs, file)
  assert(applied.ok, 'the simulated bank returns only what it was handed')
  return applied.value
}
