import { type BatchSending, findBatchAnswer } from '#capabilities/settlement/batch-answer.store.ts'
import { findBatch } from '#capabilities/settlement/batch.store.ts'
import {
  type Batch,
  batchId,
  type NothingSettled,
  type NotSettled,
  type Settled,
} from '#capabilities/settlement/batch.ts'
import {
  type ClosingRefusal,
  closeOrTakeBatch,
  type Needs as ClosingNeeds,
  takeThisBatch,
} from '#capabilities/settlement/close-batch.operation.ts'
import { countRemaining } from '#capabilities/settlement/count-remaining.operation.ts'
import { conductBatch, type SendRefusal } from '#capabilities/settlement/send-batch.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { findEarlier } from '#engine/idempotency/claim-keys.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor } from '#engine/merchants/merchant.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { unlessAway } from '#platform/postgres/failures.ts'

export type SettlementNeeds = ClosingNeeds & Pick<EngineContext, 'merchantReads'>

export type SettlementWish = {
  readonly merchantNumber: MerchantNumber
  // null: everything that is unsettled.
  readonly ids: readonly bigint[] | null
}

export type SettleRefusal =
  | ClosingRefusal
  | SendRefusal
  | 'merchant_not_found'
  | 'record_international'
  | 'key_reused'
export type SettleResult = Result<Settled | NothingSettled, SettleRefusal, NotSettled>
// null: there was nothing to settle.
type Conducted = Result<Settled | null, SettleRefusal, Batch>

// Closes the day of a merchant record: takes its unsettled transactions into a batch and sends it. A group
// that was not accepted before is settled first, alone, as the same group.
export async function settle(
  needs: SettlementNeeds,
  caller: Caller,
  { merchantNumber, ids }: SettlementWish,
): Promise<SettleResult> {
  const { accountId, callerKey } = caller
  const merchants = await listMerchants(needs, accountId)
  const merchant = merchantFor(caller, merchants, merchantNumber)
  if (!merchant) return refuse('merchant_not_found', { merchant: merchantNumber })
  if (merchant.isInternational) return refuse('record_international', { merchant: merchantNumber })

  const earlier = callerKey && (await findEarlierSettlement(needs, { accountId, callerKey, merchant }))
  const wish = { merchant, ids, callerKey, by: String(caller.userId) }
  return withRest(needs, merchant, earlier ?? (await settleNow(needs, wish)))
}

// Whoever settled nothing is told how much is left.
async function withRest(needs: SettlementNeeds, merchant: Merchant, done: Conducted): Promise<SettleResult> {
  if (done.ok && done.value) return ok(done.value)
  const remaining = await countRemaining(needs, merchant)
  if (done.ok) return ok({ batch: null, remaining })
  const { kind, details, known: batch = null } = done.refusal
  return refuse(kind, details, { batch, timeZone: merchant.timeZone, remaining })
}

export type SettlingNow = {
  readonly merchant: Merchant
  readonly ids: readonly bigint[] | null
  readonly callerKey: CallerKey | null
  readonly by: string
}

export async function settleNow(
  needs: SettlementNeeds,
  { merchant, ids, callerKey, by }: SettlingNow,
): Promise<Conducted> {
  const { accountId, merchantNumber, currency } = merchant
  const record = { accountId, merchantNumber, currency }
  const held = await closeOrTakeBatch(needs, { record, ids, callerKey, by })
  if (!held.ok) return held
  return held.value ? conductOrNotKnown(needs, held.value, merchant) : ok(null)
}

// Closed as it is, it is gone on with later: nobody may be told that nothing was done.
async function conductOrNotKnown(
  needs: SettlementNeeds,
  batch: Batch,
  merchant: Merchant,
): Promise<Conducted> {
  const conducted = await unlessAway(needs, () => conduct(needs, batch, merchant))
  return conducted ?? refuse('batch_unknown', { batch: batch.batchNumber }, batch)
}

// For whoever holds the batch already.
export async function conduct(
  needs: SettlementNeeds,
  batch: Batch,
  { terminalId, name: merchantName, timeZone }: Merchant,
): Promise<Conducted> {
  const sent = await conductBatch(needs, batch, { terminalId, merchantName })
  if (!sent.ok) return sent
  const { batch: done, remaining } = sent.value
  const { resultCode } = done
  return ok({
    batch: done,
    isAccepted: done.state === 'accepted',
    resultCode,
    remaining,
    timeZone,
    isRepeat: false,
  })
}

type Earlier = { readonly accountId: AccountId; readonly callerKey: CallerKey; readonly merchant: Merchant }

// What an earlier call with this key led to, told as it was then. Its own batch is gone on with if nobody is
// at it, and asked about once more if its outcome is not known; nothing else is ever closed under the key.
async function findEarlierSettlement(
  needs: SettlementNeeds,
  { accountId: account, callerKey, merchant }: Earlier,
): Promise<Conducted | null> {
  const earlier = await findEarlier(needs.db, { account, ...callerKey })
  if (!earlier.ok) return earlier
  if (earlier.value?.kind !== 'batch') return null
  const { batch, fence } = earlier.value
  const sending = { batchId: batchId(batch), fence }
  const told = await tellAgain(needs, { account, sending, merchant })
  if (told) return told
  const taken = await takeThisBatch(needs, sending.batchId)
  if (taken) return conductOrNotKnown(needs, taken, merchant)
  // Whoever has it may have come to its end meanwhile.
  return (await tellAgain(needs, { account, sending, merchant })) ?? underWay(needs, { account, sending })
}

type Repeat = { readonly account: AccountId; readonly sending: BatchSending }

async function tellAgain(
  { db }: SettlementNeeds,
  { account, sending, merchant }: Repeat & { readonly merchant: Merchant },
): Promise<Conducted | null> {
  const answer = await findBatchAnswer(db, sending)
  const batch = answer && (await findBatch(db, { account, batch: sending.batchId }))
  return batch && ok({ batch, timeZone: merchant.timeZone, isRepeat: true, ...answer })
}

// Either the first call with the key is still at it, or somebody else is who took over from it.
async function underWay({ db }: SettlementNeeds, { account, sending }: Repeat): Promise<Conducted> {
  const batch = await findBatch(db, { account, batch: sending.batchId })
  if (!batch || batch.fence === sending.fence) return refuse('key_running')
  return refuse('batch_running', { batch: batch.batchNumber })
}
