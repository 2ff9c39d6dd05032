import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { bankFileOf, hideAccounts, modifierOf, type OpenedItem } from '#capabilities/bank-debits/bank-file.ts'
import {
  type BankRecord,
  findBatchItems,
  joinBatch,
  settleBatchItems,
  sumUnsettledItems,
} from '#capabilities/bank-debits/bank-batch.store.ts'
import { insertFile, lockAndCountFiles } from '#capabilities/bank-debits/bank-file.store.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import { findItems } from '#capabilities/bank-debits/bank-item.store.ts'
import type { BatchCompanion, Recognized } from '#capabilities/settlement/batch-companion.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { assert } from '#kernel/assert.ts'
import { addBankingDays } from '#kernel/banking-days.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

type Needs = AchNeeds & Pick<EngineContext, 'merchantReads' | 'vault' | 'keyRing'>

// The simulated bank sends returns two banking days later, in the morning of the merchant record.
const returnDays = 2
const returnHour = 6

// Items of bank accounts settle with the card transactions of their record: they join its batch, and once it
// is accepted they are settled and the file that carries them is made.
export function bankCompanion(needs: Needs): BatchCompanion {
  return {
    name: 'bank_items',
    recognize: recognizeItems,
    join: (tx, joining) => joinBatch(tx, joining, needs.achOrigin.bankRouting.slice(0, 8)),
    accepted: (tx, batch, at) => settleItems(needs, tx, { batch, at }),
    sumUnsettled: sumUnsettledItems,
  }
}

async function recognizeItems(
  db: Queryable,
  record: BankRecord,
  ids: readonly bigint[],
): Promise<readonly Recognized[]> {
  const items = [...(await findItems(db, ids)).values()]
  return items
    .filter((item) => item.accountId === record.accountId && item.merchantNumber === record.merchantNumber)
    .map((item) => ({ id: item.attemptId, problem: problemOf(item) }))
}

function problemOf({ status, batchId }: BankItem): string {
  if (status === 'open') return batchId === null ? '' : 'it is in a batch'
  return `it is ${status === 'void' ? 'voided' : status}`
}

type AcceptedBatch = BankRecord & { readonly batchId: bigint }

async function settleItems(
  needs: Needs,
  tx: Tx,
  { batch, at }: { readonly batch: AcceptedBatch; readonly at: Temporal.Instant },
): Promise<void> {
  const items = await findBatchItems(tx, batch.batchId)
  if (items.length === 0) return
  await settleBatchItems(tx, batch.batchId, at)
  await makeFile(needs, tx, { batch, at, items })
}

type FileOrder = {
  readonly batch: AcceptedBatch
  readonly at: Temporal.Instant
  readonly items: readonly BankItem[]
}

async function makeFile(needs: Needs, tx: Tx, { batch, at, items }: FileOrder): Promise<void> {
  const { accountId, merchantNumber, batchId } = batch
  const records = await listMerchants(needs, accountId)
  const merchant = records.find((one) => one.merchantNumber === merchantNumber)
  assert(merchant, 'a batch belongs to a merchant record')
  const madeAt = at.toZonedDateTimeISO(merchant.timeZone)
  const madeOn = madeAt.toPlainDate()
  const modifier = modifierOf(await lockAndCountFiles(tx, madeOn))
  const opened = await openItems(needs, tx, items)
  const file = writeNacha(
    bankFileOf({ origin: needs.achOrigin, merchant, batchId, modifier, madeAt }, opened),
  )
  const returnsOn = addBankingDays(madeOn, returnDays)
  const morning = returnsOn.toZonedDateTime({ timeZone: merchant.timeZone, plainTime: { hour: returnHour } })
  await insertFile(tx, {
    batchId,
    accountId,
    merchantNumber,
    madeOn,
    modifier,
    hidden: hideAccounts(file),
    digest: needs.keyRing.keyedDigest('bank-file', file),
    returnsDueAt: needs.achBank ? morning.toInstant() : null,
    at,
  })
}

// An account that cannot be opened stops the whole file: half of it would settle what never left.
async function openItems(
  { vault }: Needs,
  db: Queryable,
  items: readonly BankItem[],
): Promise<readonly OpenedItem[]> {
  const refs = items.map(({ accountId: account, bankAccountId }) => ({ account, bankAccountId }))
  const openings = await vault.openBankAccounts(db, refs)
  return items.map((item, at) => {
    const opening = openings[at]
    assert(opening, 'an item has its bank account')
    if (opening.kind === 'unreadable') throw opening.fault
    return { item, account: opening }
  })
}
