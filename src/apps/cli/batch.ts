import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { listNewest } from '#apps/cli/list-newest.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { merchantNumberFrom } from '#apps/cli/merchant.ts'
import { operatorName } from '#apps/cli/operator.ts'
import { minuteFrom, timeText } from '#apps/cli/time-of-day.ts'
import { Complaint } from '#apps/complaint.ts'
import { type Batch, contentOf, netOf } from '#capabilities/settlement/batch.ts'
import { listClosings } from '#capabilities/settlement/close-day.operation.ts'
import { planSettlement } from '#capabilities/settlement/plan-settlement.operation.ts'
import { type Released, releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import {
  findBatchByNumber,
  forecastBatches,
  listBatches,
  showBatch,
  type ShownBatch,
} from '#capabilities/settlement/show-batches.operation.ts'
import { assert } from '#kernel/assert.ts'
import { printMoment } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney, printWithCurrency } from '#kernel/money.ts'

export const batchCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate batch list --account CODE [--merchant NUMBER] [--last 20]',
    summary: 'List the batches of an account, newest first',
    subject: null,
    texts: { account: 9, merchant: 9, last: 5 },
    flags: [],
    run: list,
  },
  show: {
    usage: 'tillgate batch show ID --account CODE',
    summary: 'Show a batch with its transactions; ID is its id in tillgate batch list, not its number',
    subject: 'batch id',
    texts: { account: 9 },
    flags: [],
    run: show,
  },
  forecast: {
    usage: 'tillgate batch forecast --account CODE',
    summary: 'Say when each merchant record closes next, and what it would settle',
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: forecast,
  },
  plan: {
    usage: 'tillgate batch plan NUMBER --account CODE [--at 23:30] [--[no-]automatic]',
    summary: 'Change when a merchant record closes by itself, in its own time zone',
    subject: 'merchant number',
    texts: { account: 9, at: 5 },
    flags: ['automatic'],
    run: plan,
  },
  release: {
    usage: 'tillgate batch release ID --account CODE --reason TEXT',
    summary: 'Give a rejected batch up, of which the acquirer has settled some in another one',
    subject: 'batch id',
    texts: { account: 9, reason: 500 },
    flags: [],
    run: release,
  },
}

async function list({ context, options }: Invocation): Promise<Report> {
  const { accountId: account } = await accountByCode({ context, code: options.needText('account') })
  const named = options.text('merchant')
  const merchant = named === undefined ? null : merchantNumberFrom(named)
  return listNewest(options, {
    lastMax: 99_999,
    find: (most) => listBatches(context, { account, merchant, most }),
    rowOf: batchRow,
  })
}

async function show({ context, options, subject }: Invocation): Promise<Report> {
  const { accountId: account } = await accountByCode({ context, code: options.needText('account') })
  const found = await showBatch(context, { account, batch: batchIdFrom(subject) })
  if (!found) throw await noBatch(context, account, subject)
  const { batch, items, release: released } = found
  const rows = items.map(({ id, kind, ref, totalMinor }) => ({
    transaction: String(id),
    kind,
    amount: printMoney({ minor: totalMinor, currency: batch.currency }),
    reference: ref,
  }))
  const note = `Id ${batch.batchId}, ${nameOf(batch)}: ${batch.state}, ${contentOf(batch)}.`
  return { rows, note: released ? `${note}\n${tellRelease(released)}` : note }
}

export function batchIdFrom(text: string): bigint {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Complaint(`${text} is no batch id.`)
  return BigInt(text)
}

function tellRelease(released: NonNullable<ShownBatch['release']>): string {
  const { operator, reason, settledCount, givenBackCount, at } = released
  return (
    `Released by ${operator} on ${printMoment(at)}: ${reason}\n` +
    `Recorded as settled in other batches: ${settledCount}. Given back to be settled: ${givenBackCount}.`
  )
}

async function release({ context, options, subject }: Invocation): Promise<Report> {
  const { accountId: account } = await accountByCode({ context, code: options.needText('account') })
  const batch = batchIdFrom(subject)
  const reason = options.needText('reason')
  const released = await releaseBatch(context, { account, batch, reason, operator: operatorName() })
  if (released.ok) return releasedReport(released.value)
  const { kind, details } = released.refusal
  if (kind === 'batch_not_found') throw await noBatch(context, account, subject)
  throw new Complaint(`Batch ${subject} is not released: ${details['problem']}.`)
}

function releasedReport({ batch, learned, ...told }: Released): Report {
  const { settledCount, givenBackCount, companionCount, voidedCount, reversedIds } = told
  const settled = `recorded as settled in other batches: ${settledCount}`
  const lines = [`Released; ${settled}, given back to be settled: ${givenBackCount}.`]
  // Nobody can be asked about a file, so a person has to know.
  if (companionCount > 0)
    lines.push(
      `Of those, ${companionCount} go by a file for bank debits. ` +
        'If a file before had them already, void them before the next settlement.',
    )
  if (voidedCount > 0) lines.push(`Credits voided, because their bank debits have come back: ${voidedCount}.`)
  if (reversedIds.length > 0)
    lines.push(
      `The bank has reversed what is open here: ${reversedIds.join(', ')}. ` +
        'Void that before the next settlement, which is rejected otherwise.',
    )
  return { rows: [batch, ...learned].map(batchRow), note: lines.join('\n') }
}

// An id and a number may both exist and mean two batches, so a number is never taken for an id: it is told.
async function noBatch(
  context: Invocation['context'],
  account: AccountId,
  subject: string,
): Promise<Complaint> {
  const missing = `The account has no batch with the id ${subject}`
  const meant = await findBatchByNumber(context, { account, number: Number(subject) })
  return new Complaint(
    meant
      ? `${missing}; ${nameOf(meant)} has the id ${meant.batchId}.`
      : `${missing}. tillgate batch list shows them.`,
  )
}

function nameOf({ batchNumber, merchantNumber }: Batch): string {
  return `batch number ${batchNumber} of merchant record ${merchantNumber}`
}

async function forecast({ context, options }: Invocation): Promise<Report> {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  const rows = (await forecastBatches(context, accountId)).map((one) => ({
    merchant: one.merchant.merchantNumber,
    name: one.merchant.name,
    closesAt: one.closesAt ? printMoment(one.closesAt) : 'by hand',
    zone: one.merchant.timeZone,
    transactions: one.count,
    net: printWithCurrency(one.net),
    first: one.unfinished ? `batch ${one.unfinished.batchNumber} (${one.unfinished.state})` : '',
  }))
  return { rows }
}

async function plan({ context, options, subject }: Invocation): Promise<Report> {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  const number = merchantNumberFrom(subject)
  const current = (await listClosings(context, accountId)).find(
    ({ merchant }) => merchant.merchantNumber === number,
  )
  if (!current) throw new Complaint(`The account has no domestic merchant record ${subject}.`)
  const closesAt = timeText(minuteFrom(options.text('at') ?? current.closesAt))
  const isAutomatic = options.flag('automatic') ?? current.isAutomatic
  const record = { accountId, merchantNumber: number }
  const planned = await planSettlement(context, { ...record, plan: { closesAt, isAutomatic } })
  assert(planned.ok, 'a time of day was read')
  return {
    rows: [{ merchant: number, automatic: isAutomatic, at: closesAt, zone: current.merchant.timeZone }],
  }
}

function batchRow(batch: Batch): Row {
  return {
    id: String(batch.batchId),
    number: batch.batchNumber,
    merchant: batch.merchantNumber,
    state: batch.state,
    transactions: batch.itemCount,
    net: printWithCurrency(netOf(batch)),
    opened: printMoment(batch.openedAt),
    closed: printMoment(batch.closedAt),
    finished: batch.finishedAt ? printMoment(batch.finishedAt) : '',
    code: batch.resultCode,
    by: batch.createdBy,
  }
}
