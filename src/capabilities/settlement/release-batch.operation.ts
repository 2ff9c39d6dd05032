import { insertBatchAnswer } from '#capabilities/settlement/batch-answer.store.ts'
import { batchEvent } from '#capabilities/settlement/batch-event.ts'
import { lockRecord } from '#capabilities/settlement/batch-item.store.ts'
import { giveBackItems, insertRelease } from '#capabilities/settlement/batch-release.store.ts'
import {
  type NotReleasable,
  notReleasable,
  problemWithState,
} from '#capabilities/settlement/batch-release.ts'
import { findBatch, moveBatch, takeBatch } from '#capabilities/settlement/batch.store.ts'
import { type Batch, batchId } from '#capabilities/settlement/batch.ts'
import { countRest } from '#capabilities/settlement/count-remaining.operation.ts'
import { askWhatIsHeld, type HeldElsewhere } from '#capabilities/settlement/held-elsewhere.operation.ts'
import { learnBatch } from '#capabilities/settlement/learn-batch.operation.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { lowerSettledBelow } from '#capabilities/settlement/settlement-plan.store.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

export type ReleaseWish = {
  readonly account: AccountId
  readonly batch: bigint
  readonly reason: string
  readonly operator: string
}

export type Released = {
  readonly batch: Batch
  // What the acquirer had accepted, as it stands here now.
  readonly learned: readonly Batch[]
  readonly settledCount: number
  readonly givenBackCount: number
  // Of those, what settles with the cards and travels its own way.
  readonly companionCount: number
  // What was in the batch and is voided instead.
  readonly voidedCount: number
  // What the acquirer has reversed and is open here, in the batch or beside it: to be voided, or the next
  // batch is rejected because of it.
  readonly reversedIds: readonly bigint[]
}

export type ReleaseResult = Result<Released, 'batch_not_found' | 'not_releasable'>

// Undoes a transaction that came upon a reason not to go on.
class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
  readonly refused: NotReleasable
  constructor(refused: NotReleasable) {
    super(String(refused.refusal.details['problem']))
    this.refused = refused
  }
}

// An operator gives a batch up that the acquirer will never accept, because it has some of it in another one
// or has reversed it, and this database has forgotten that. The other one is recorded, and everything else is
// in no batch again; all of it in one commit, with the record held still as for a close.
export async function releaseBatch(needs: SettlementNeeds, wish: ReleaseWish): Promise<ReleaseResult> {
  const { hold } = needs.sending
  if (hold) return notReleasable(`nothing may be decided while sending is held: ${hold.because}`)
  const batch = await findBatch(needs.db, { account: wish.account, batch: batchId(wish.batch) })
  if (!batch) return refuse('batch_not_found')
  const problem = problemWithState(batch)
  if (problem) return notReleasable(problem)
  const held = await askWhatIsHeld(needs, batch)
  if (!held.ok) return (await problemSince(needs.db, batch)) ?? held
  try {
    return await needs.db.inTransaction((tx) => release(needs, tx, { wish, batch, held: held.value }))
  } catch (error) {
    if (error instanceof Withdrawn) return error.refused
    throw error
  }
}

const settledAgain = notReleasable('it was settled again at this very moment: try again')

// Whoever was faster has changed what was read of it, and that is then the reason.
async function problemSince(db: Queryable, batch: Batch): Promise<NotReleasable | null> {
  const current = await findBatch(db, { account: batch.accountId, batch: batch.batchId })
  assert(current, 'a batch is never deleted')
  if (current.fence === batch.fence) return null
  const problem = problemWithState(current)
  return problem ? notReleasable(problem) : settledAgain
}

type Releasing = {
  readonly wish: ReleaseWish
  readonly batch: Batch
  readonly held: HeldElsewhere
}

async function release(needs: SettlementNeeds, tx: Tx, releasing: Releasing): Promise<ReleaseResult> {
  const { wish, batch, held } = releasing
  const at = needs.accountClock.now(batch.accountId)
  await lockRecord(tx, batch)
  const given = await giveUp(needs, tx, { batch, at })
  const learned = await learnAll(needs, tx, { given, held, at })
  // A payment that was given back is unsettled, however long ago it was closed.
  await lowerSettledBelow(tx, batch, held.lowestId)
  const { count: remaining } = await countRest(needs, tx, batch)
  for (const one of learned)
    await insertBatchAnswer(tx, one, { isAccepted: true, resultCode: one.resultCode, remaining, at })
  // For a call that took the batch and died: its key tells that it failed.
  const { resultCode } = given.batch
  await insertBatchAnswer(tx, given.batch, { isAccepted: false, resultCode, remaining, at })
  const settledCount = held.batches.reduce((sum, { ids }) => sum + ids.length, 0)
  const { companionCount, voidedCount } = given
  const givenBackCount = batch.itemCount - held.ofBatchCount - voidedCount
  await insertRelease(tx, batch.batchId, { ...wish, settledCount, givenBackCount, at })
  const events = learned.map((one) => batchEvent('batch.closed', one))
  await appendEvents(tx, [batchEvent('batch.released', given.batch), ...events], at)
  const { reversedIds } = held
  const counts = { settledCount, givenBackCount, companionCount, voidedCount }
  return ok({ batch: given.batch, learned, ...counts, reversedIds })
}

type Given = Pick<Released, 'batch' | 'companionCount' | 'voidedCount'>
type Giving = { readonly batch: Batch; readonly at: Temporal.Instant }

// The batch is empty afterwards, and done with.
async function giveUp(needs: SettlementNeeds, tx: Tx, { batch, at }: Giving): Promise<Given> {
  const now = needs.clock.now()
  const taken = await takeBatch(tx, { id: batch.batchId, now, leaseUntil: now })
  if (!taken) throw new Withdrawn(await whyNotTaken(tx, batch))
  const isAsRead = taken.fence === batch.fence + 1 && taken.state === batch.state
  if (!isAsRead) throw new Withdrawn(settledAgain)
  const to = { ...taken, state: 'released' as const }
  const released = await moveBatch(tx, { from: taken, to, leaseUntil: now })
  assert(released, 'a batch that is taken stays so until its transaction ends')
  const cards = await giveBackItems(tx, batch.batchId)
  let [others, voidedCount] = [0, 0]
  for (const companion of needs.batchCompanions) {
    const given = await companion.giveBack(tx, batch.batchId, at)
    others += given.count
    voidedCount += given.voidedCount
  }
  if (cards !== batch.cardCount || cards + others !== batch.itemCount)
    throw new Withdrawn(notReleasable('its transactions are not what was closed'))
  return { batch: released, companionCount: others - voidedCount, voidedCount }
}

async function whyNotTaken(tx: Tx, { accountId: account, batchId: batch }: Batch): Promise<NotReleasable> {
  const current = await findBatch(tx, { account, batch })
  assert(current, 'a batch is never deleted')
  return notReleasable(problemWithState(current) || 'somebody is settling it at this moment')
}

type Learning = {
  readonly given: Given
  readonly held: HeldElsewhere
  readonly at: Temporal.Instant
}

async function learnAll(
  { clock }: SettlementNeeds,
  tx: Tx,
  { given, held, at }: Learning,
): Promise<readonly Batch[]> {
  const { accountId, merchantNumber, currency, batchId: learnedFrom } = given.batch
  const record = { accountId, merchantNumber, currency }
  const learned: Batch[] = []
  for (const { ref, ids, approvalCode } of held.batches) {
    const one = await learnBatch(tx, { record, ref, ids, approvalCode, learnedFrom, now: clock.now(), at })
    if (!one.ok) throw new Withdrawn(one)
    learned.push(one.value)
  }
  return learned
}
