import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { type AppliedReturns, applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { type DueReturns, findDue, finishReturns } from '#capabilities/bank-debits/bank-file.store.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'

type Needs = AchNeeds & Pick<EngineContext, 'db' | 'clock' | 'followers' | 'vault' | 'keyRing'>
type Moment = { readonly accountId: AccountId; readonly at: Temporal.Instant }

export type ReceivedReturns = DueReturns & { readonly applied: AppliedReturns }

const nothing: AppliedReturns = { returned: [], corrected: [], known: 0 }

// Asks the simulated bank what it sends back for each file whose day has come, and applies it as a file from
// the operator would be. Dying in between does no harm: what was applied is known the next time.
export async function receiveReturns(needs: Needs, moment: Moment): Promise<readonly ReceivedReturns[]> {
  if (!needs.achBank) return []
  const received: ReceivedReturns[] = []
  for (const due of await findDue(needs.db, moment)) {
    const file = await printBankFile(needs, due.batchId)
    assert(file.ok, 'a file that was made can be printed')
    const back = await needs.achBank.returnsFor(file.value, due.dueAt.toZonedDateTimeISO('UTC').toPlainDate())
    const applied = back === null ? nothing : await applyFrom(needs, back)
    const isOurs = await needs.db.inTransaction((tx) => finishReturns(tx, due.batchId, moment.at))
    if (isOurs) received.push({ ...due, applied })
  }
  return received
}

async function applyFrom(needs: Needs, file: string): Promise<AppliedReturns> {
  const applied = await applyReturns(needs, file)
  assert(applied.ok, 'the simulated bank returns only what it was handed')
  return applied.value
}
