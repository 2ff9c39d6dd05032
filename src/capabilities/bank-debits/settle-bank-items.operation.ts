import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import {
  bankFileOf,
  hideAccounts,
  nextFileMark,
  type OpenedItem,
} from '#capabilities/bank-debits/bank-file.ts'
import {
  type BankRecord,
  type Candidate,
  findBatchItems,
  joinBatch,
  lockCandidates,
  settleBatchItems,
  sumUnsettledItems,
} from '#capabilities/bank-debits/bank-batch.store.ts'
import { acceptFile, keepFile, lockMarks } from '#capabilities/bank-debits/bank-file.store.ts'
import { type BankItem, hasComeBack } from '#capabilities/bank-debits/bank-item.ts'
import { findItems } from '#capabilities/bank-debits/bank-item.store.ts'
import { giveBackItems } from '#capabilities/bank-debits/give-back-items.operation.ts'
import type {
  BatchCompanion,
  Choosing,
  CompanionItem,
  Recognized,
} from '#capabilities/settlement/batch-companion.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import { addBankingDays } from '#kernel/banking-days.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

type Needs = AchNeeds &
  Pick<EngineContext, 'merchantReads' | 'vault' | 'keyRing' | 'log' | 'clock' | 'accountClock' | 'followers'>

// The simulated bank sends returns two banking days later, in the morning of the merchant record.
const returnDays = 2
const returnHour = 6

// What the totals of a file have room for.
const totalMaxMinor = 999_999_999_999n
const entriesMax = 999_999

// Items of bank accounts settle with the card transactions of their record: they join its batch, the file
// that carries them is made before it is sent, and once it is accepted they are settled.
export function bankCompanion(needs: Needs): BatchCompanion {
  return {
    name: 'bank_items',
    recognize: recognizeItems,
    choose: (tx, choosing) => chooseItems(needs, tx, choosing),
    join: (tx, joining) => joinBatch(tx, joining, needs.achOrigin.bankRouting.slice(0, 8)),
    prepare: (tx, batch, at) => prepareFile(needs, tx, { batch, at }),
    accepted: async (tx, { batchId }, at) => {
      await Promise.all([settleBatchItems(tx, batchId, at), acceptFile(tx, batchId, at)])
    },
    giveBack: (tx, batchId, at) => giveBackItems(needs, tx, { batchId, at }),
    list: listItems,
    sumUnsettled: sumUnsettledItems,
  }
}

async function listItems(db: Queryable, batchId: bigint): Promise<readonly CompanionItem[]> {
  const items = await findBatchItems(db, batchId)
  return items.map(({ attemptId: id, kind, total, trace }) => {
    return { id, kind: `bank ${kind}`, totalMinor: total.minor, ref: trace ?? '' }
  })
}

async function chooseItems(
  needs: Needs,
  tx: Tx,
  choosing: Choosing,
): Promise<Result<readonly bigint[], 'books_disagree' | 'not_settleable'>> {
  const candidates = await lockCandidates(tx, choosing)
  const wrong = candidates.find(({ kind, totalMinor, postedMinor }) => {
    return postedMinor !== (kind === 'debit' ? totalMinor : -totalMinor)
  })
  if (wrong) return refuse('books_disagree', { transaction: wrong.id })
  const gone = choosing.ids && (await findGone(tx, choosing.record, choosing.ids))
  if (gone) return refuse('not_settleable', gone)
  const { carried, left } = await sortOut(needs, tx, { choosing, candidates })
  const [first] = left
  if (first && choosing.ids) return refuse('not_settleable', first)
  for (const { transaction, problem } of left)
    needs.log.error({ transaction: String(transaction), problem }, 'A bank debit or credit cannot be settled')
  return ok(carried)
}

// One that was voided or held back since the list was looked at: whoever is first has the row.
async function findGone(tx: Tx, record: BankRecord, ids: readonly bigint[]): Promise<LeftOut | null> {
  const gone = (await recognizeItems(tx, record, ids)).find(({ problem }) => problem !== '')
  return gone ? { transaction: gone.id, problem: gone.problem } : null
}

type Sorting = { readonly choosing: Choosing; readonly candidates: readonly Candidate[] }
type LeftOut = { readonly transaction: bigint; readonly problem: string }

// What a file cannot carry is left out, so that it cannot keep everything else from being settled.
async function sortOut({ vault }: Needs, tx: Tx, { choosing, candidates }: Sorting) {
  const { accountId: account } = choosing.record
  const refs = candidates.map(({ bankAccountId }) => ({ account, bankAccountId }))
  const openings = await vault.openBankAccounts(tx, refs)
  const sums = { debit: 0n, credit: 0n }
  const carried: bigint[] = []
  const left: LeftOut[] = []
  for (const [at, { id, kind, totalMinor, debitStatus }] of candidates.entries()) {
    const sum = sums[kind] + totalMinor
    if (debitStatus && hasComeBack({ status: debitStatus })) {
      left.push({ transaction: id, problem: 'its debit has come back' })
    } else if (openings[at]?.kind !== 'opened') {
      left.push({ transaction: id, problem: 'the number of its account cannot be read' })
    } else if (sum > totalMaxMinor || carried.length >= entriesMax) {
      left.push({ transaction: id, problem: 'the file of one settlement has no more room' })
    } else {
      sums[kind] = sum
      carried.push(id)
    }
  }
  return { carried, left }
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

type ClosedBatch = BankRecord & { readonly batchId: bigint }

async function prepareFile(
  needs: Needs,
  tx: Tx,
  { batch, at }: { readonly batch: ClosedBatch; readonly at: Temporal.Instant },
): Promise<string> {
  const items = await findBatchItems(tx, batch.batchId)
  if (items.length === 0) return ''
  const opened = await openItems(needs, tx, items)
  if (!opened) return 'the number of a bank account cannot be read any more'
  await makeFile(needs, tx, { batch, at, opened })
  return ''
}

type FileToMake = {
  readonly batch: ClosedBatch
  readonly at: Temporal.Instant
  readonly opened: readonly OpenedItem[]
}

async function makeFile(needs: Needs, tx: Tx, { batch, at, opened }: FileToMake): Promise<void> {
  const { accountId, merchantNumber, batchId } = batch
  const records = await listMerchants(needs, accountId)
  const merchant = merchantNumbered(records, merchantNumber)
  assert(merchant, 'a batch belongs to a merchant record')
  const now = at.toZonedDateTimeISO(merchant.timeZone)
  const madeOn = now.toPlainDate()
  const used = await lockMarks(tx, { madeOn, batchId })
  const { minute, modifier } = nextFileMark(used, now.hour * 60 + now.minute)
  const madeAt = madeOn.toPlainDateTime({ hour: Math.trunc(minute / 60), minute: minute % 60 })
  const file = writeNacha(
    bankFileOf({ origin: needs.achOrigin, merchant, batchId, modifier, madeAt }, opened),
  )
  const returnsOn = addBankingDays(madeOn, returnDays)
  const morning = returnsOn.toZonedDateTime({ timeZone: merchant.timeZone, plainTime: { hour: returnHour } })
  await keepFile(tx, {
    batchId,
    accountId,
    merchantNumber,
    madeOn,
    minute,
    modifier,
    hidden: hideAccounts(file),
    digest: needs.keyRing.keyedDigest('bank-file', file),
    returnsDueAt: needs.achBank ? morning.toInstant() : null,
    at,
  })
}

// null: one of them cannot be read. Half a file would settle what never left.
async function openItems(
  { vault }: Needs,
  db: Queryable,
  items: readonly BankItem[],
): Promise<readonly OpenedItem[] | null> {
  const refs = items.map(({ accountId: account, bankAccountId }) => ({ account, bankAccountId }))
  const openings = await vault.openBankAccounts(db, refs)
  const opened = items.flatMap((item, at): readonly OpenedItem[] => {
    const opening = openings[at]
    return opening?.kind === 'opened' ? [{ item, account: opening }] : []
  })
  return opened.length === items.length ? opened : null
}
