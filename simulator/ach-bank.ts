import { assert } from '#kernel/assert.ts'
import { isDebit, type NachaBatch, type NachaEntry } from '#kernel/nacha/nacha-file.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import { achRows, correctedAccount } from './ach-rows.ts'

const bankRouting = '110000000'

// What the simulated bank sends back for a file that it was handed: a return for each debit of an account
// that provokes one, a notice of change for each wrong number. null when all of it went well.
export function returnFileFor(file: string, on: Temporal.PlainDate): string | null {
  const read = readNacha(file)
  assert(read.ok, 'the simulated bank is handed files that can be read')
  const returned = read.value.map((batch) => answering(batch, 'R')).filter(hasEntries)
  const changed = read.value
    .map((batch) => ({ ...answering(batch, 'C'), entryClass: 'COR' }))
    .filter(hasEntries)
  const batches = [...returned, ...changed].map((batch, at) => ({ ...batch, number: at + 1 }))
  if (batches.length === 0) return null
  const header = {
    destination: bankRouting,
    destinationName: 'TILLGATE',
    origin: bankRouting,
    originName: 'SANDBOX BANK',
    createdOn: on,
    createdAt: new Temporal.PlainTime(6),
    modifier: 'A',
    reference: '',
  }
  return writeNacha({ header, batches: numbered(batches) })
}

function hasEntries({ entries }: NachaBatch): boolean {
  return entries.length > 0
}

function answering(batch: NachaBatch, kind: 'R' | 'C'): NachaBatch {
  const entries = batch.entries.flatMap((entry): readonly NachaEntry[] => {
    const code = codeFor(entry)
    if (!code.startsWith(kind)) return []
    const about = { code, originalTrace: entry.trace }
    const addenda =
      kind === 'R'
        ? { kind: 'return' as const, ...about }
        : { kind: 'change' as const, ...about, corrected: correctedAccount }
    const amountMinor = kind === 'R' ? entry.amountMinor : 0n
    return [{ ...entry, amountMinor, addenda, transactionCode: answerCode(entry) }]
  })
  return { ...batch, entries }
}

function codeFor({ accountNumber, transactionCode }: NachaEntry): string {
  if (!isDebit(transactionCode)) return ''
  return achRows.find(({ account }) => account === accountNumber)?.code ?? ''
}

// 27 comes back as 26, 37 as 36.
function answerCode({ transactionCode }: NachaEntry): string {
  return `${transactionCode[0]}6`
}

// Under trace numbers of its own.
function numbered(batches: readonly NachaBatch[]): readonly NachaBatch[] {
  let sequence = 0
  return batches.map((batch) => ({
    ...batch,
    entries: batch.entries.map((entry) => {
      sequence += 1
      return { ...entry, trace: `${bankRouting.slice(0, 8)}${String(sequence).padStart(7, '0')}` }
    }),
  }))
}
