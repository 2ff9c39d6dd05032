import { readFile } from 'node:fs/promises'
import { Complaint } from '#apps/complaint.ts'
import { batchIdFrom } from '#apps/cli/batch.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { printWithCurrency } from '#kernel/money.ts'

export const achCommands: Readonly<Record<string, Command>> = {
  file: {
    usage: 'tillgate ach file BATCH',
    summary:
      'Print the file of a settlement for the bank, account numbers included; BATCH is an id of batch list',
    subject: 'batch',
    texts: {},
    flags: [],
    run: printFile,
  },
  returns: {
    usage: 'tillgate ach returns FILE',
    summary: 'Apply what the bank has sent back: returns and notices of change',
    subject: 'file',
    texts: {},
    flags: [],
    run: readReturns,
  },
}

async function printFile({ context, subject }: Invocation): Promise<Report> {
  const file = await printBankFile(context, batchIdFrom(subject))
  if (file.ok) return { rows: [], plain: file.value }
  throw new Complaint(
    file.refusal.kind === 'bank_file_not_found'
      ? `Batch ${subject} has no file for a bank: no such id, no bank debits in it, or not accepted yet.`
      : `The file of batch ${subject} cannot be printed: its account numbers are erased or changed.`,
  )
}

async function readReturns({ context, subject }: Invocation): Promise<Report> {
  const text = await readFile(subject, 'latin1').catch(() => {
    throw new Complaint(`The file ${subject} cannot be read.`)
  })
  const applied = await applyReturns(context, text)
  if (!applied.ok) {
    const { kind, details } = applied.refusal
    const place = kind === 'nacha_file_broken' ? `Line ${details['line']}` : 'The file is not ours:'
    throw new Complaint(`${subject}: ${place} ${details['problem']}. Nothing was applied.`)
  }
  const { returned, heldBack, corrected, known } = applied.value
  const rows = [
    ...returned.map(rowOf('returned')),
    ...heldBack.map(rowOf('held back')),
    ...corrected.map(rowOf('corrected')),
  ]
  const held = heldBack.length > 0 ? ` Credits of theirs that are not sent any more: ${heldBack.length}.` : ''
  const note = `Returned ${returned.length}, corrected ${corrected.length}, known before ${known}.${held}`
  return { rows, note }
}

function rowOf(what: string) {
  return ({ attemptId, merchantNumber, kind, total, details }: BankItem) => ({
    transaction: Number(attemptId),
    merchant: merchantNumber,
    what,
    kind,
    amount: printWithCurrency(total),
    account: details.lastFour,
  })
}
