import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Complaint } from '#apps/complaint.ts'
import type { Command, Invocation } from '#apps/cli/command.ts'
import { beginOf, endOf, refuseBackwards } from '#apps/cli/span.ts'
import { reconcile, type Reconciled } from '#capabilities/reconciliation/reconcile.operation.ts'
import { csvBreakRow, csvHead, csvRow } from '#capabilities/reconciliation/reconciled-csv.ts'
import { parseCalendarDate } from '#kernel/calendar.ts'

export const reconcileCommand: Command = {
  usage: 'tillgate reconcile --from 2027-01-15 --to 2027-01-15 [--csv FILE]',
  summary: "Compare transactions, ledger, batches and the bank's report, and name every difference",
  explanation: 'Days count as a whole in UTC, the last one included.',
  subject: null,
  texts: { from: 10, to: 10, csv: 1_000 },
  flags: [],
  run: runReconcile,
}

async function runReconcile({ context, options }: Invocation) {
  const [from, to] = [dayFrom(options.needText('from')), dayFrom(options.needText('to'))]
  refuseBackwards(from, to)
  const period = { from: beginOf(from), to: endOf(to) }
  const path = options.text('csv')
  const file = path === undefined ? null : await openCsv(path)
  let [count, differences] = [0, 0]
  for await (const one of reconcile(context, period)) {
    for (const { subject, ref, cause } of one.breaks)
      await write(process.stderr, `${[subject, ref, cause].filter((part) => part !== '').join('  ')}\n`)
    differences += one.breaks.length
    if (one.kind === 'line') count += 1
    if (file) await write(file, rowsOf(one))
  }
  if (file) await finished(file.end())
  const told = `${count} transactions from ${from} to ${to} compared`
  const rows = [{ transactions: count, differences }]
  return differences > 0
    ? { rows, complaint: `${told}: ${differences} ${differences === 1 ? 'difference' : 'differences'}.` }
    : { rows, note: `${told}: everything agrees.` }
}

function rowsOf(one: Reconciled): string {
  return one.kind === 'line' ? csvRow(one.line, one.breaks) : one.breaks.map(csvBreakRow).join('')
}

// Only whole days can be compared with the report of a bank.
function dayFrom(text: string): string {
  const date = parseCalendarDate(text)
  if (!date) throw new Complaint(`${text} is no date such as 2027-01-15.`)
  return date.toString()
}

async function openCsv(path: string): Promise<WriteStream> {
  const file = createWriteStream(path)
  try {
    await once(file, 'open')
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new Complaint(`--csv cannot be written: ${problem}`, { cause: error })
  }
  await write(file, csvHead)
  return file
}

// Waits for the disk or the terminal, so that nothing piles up in memory.
async function write(to: Writable, text: string): Promise<void> {
  if (!to.write(text)) await once(to, 'drain')
}
