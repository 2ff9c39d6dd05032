import {
  batchControl,
  batchHeader,
  changeAddenda,
  entryDetail,
  fileControl,
  fileHeader,
  lineLength,
  linesPerBlock,
  parseLine,
  returnAddenda,
  type Values,
} from '#kernel/nacha/layout.ts'
import type { NachaAddenda, NachaBatch, NachaEntry } from '#kernel/nacha/nacha-file.ts'
import { addTotals, noTotals, type Totals, totalsOf } from '#kernel/nacha/totals.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// What has been read so far.
type Progress = {
  readonly batches: NachaBatch[]
  totals: Totals
  // Lines that are not blank, so far.
  lines: number
  open: OpenBatch | null
  stage: 'before' | 'inside' | 'closed'
}
type OpenBatch = { readonly head: Values<typeof batchHeader>; readonly entries: NachaEntry[] }

// What is wrong with a line, to be read after its number; null when nothing is.
type Problem = string | null

// Lenient where banks differ: line ends of every kind, blanks that were cut off, missing padding. Not
// lenient about what protects money: places, counts, hashes and sums must be right, or the file is refused
// at its line.
export function readNacha(text: string): Result<readonly NachaBatch[], 'nacha_file_broken'> {
  const progress: Progress = { batches: [], totals: noTotals, lines: 0, open: null, stage: 'before' }
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trimEnd())
  for (const [at, line] of lines.entries()) {
    const problem = line === '' ? null : readLine(progress, line)
    if (problem !== null) return refuse('nacha_file_broken', { line: at + 1, problem })
  }
  if (progress.stage === 'closed') return ok(progress.batches)
  const line = Math.max(1, lines.findLastIndex((one) => one !== '') + 1)
  return refuse('nacha_file_broken', { line, problem: 'is the last one, and the file is not closed' })
}

const readers: Readonly<Record<string, (progress: Progress, line: string) => Problem>> = {
  5: openBatch,
  6: readEntry,
  7: readAddenda,
  8: closeBatch,
  9: closeFile,
}

function readLine(progress: Progress, short: string): Problem {
  if (short.length > lineLength) return `has ${short.length} characters; ${lineLength} is the most`
  if (!/^[ -~]*$/.test(short)) return 'holds characters outside ASCII'
  const line = short.padEnd(lineLength)
  progress.lines += 1
  if (progress.stage === 'before') return openFile(progress, line)
  if (progress.stage === 'closed') return /^9+ *$/.test(line) ? null : 'follows the end of the file'
  const [kind = ''] = line
  return (
    readers[kind]?.(progress, line) ?? (kind in readers ? null : `begins with ${kind}, which means nothing`)
  )
}

function openFile(progress: Progress, line: string): Problem {
  if (line[0] !== '1') return 'is no file header'
  const parsed = parseLine(fileHeader, line)
  if (!parsed.ok) return notDigits(parsed.field)
  progress.stage = 'inside'
  return null
}

function openBatch(progress: Progress, line: string): Problem {
  if (progress.open) return 'opens a batch inside another'
  const parsed = parseLine(batchHeader, line)
  if (!parsed.ok) return notDigits(parsed.field)
  progress.open = { head: parsed.values, entries: [] }
  return null
}

function readEntry({ open }: Progress, line: string): Problem {
  if (!open) return outside
  if (needsAddenda(open)) return addendaMissing
  const parsed = parseLine(entryDetail, line)
  if (!parsed.ok) return notDigits(parsed.field)
  const { transactionCode, routingNumber, accountNumber, amount, individualId, name, trace } = parsed.values
  if (!/^\d\d$/.test(transactionCode)) return 'has no transaction code'
  if (!/^\d{9}$/.test(routingNumber)) return 'names no bank'
  if (!/^\d{15}$/.test(trace)) return 'has no trace number'
  open.entries.push({
    transactionCode,
    routingNumber,
    accountNumber,
    amountMinor: BigInt(amount || '0'),
    individualId,
    name,
    trace,
    addenda: parsed.values.hasAddenda === '1' ? announced : null,
  })
  return null
}

// Stands in for an addenda that the next line must bring.
const announced: NachaAddenda = { kind: 'return', code: '', originalTrace: '' }
const outside = 'stands outside a batch'
const addendaMissing = 'stands where an addenda was announced'

function needsAddenda({ entries }: OpenBatch): boolean {
  return entries.at(-1)?.addenda === announced
}

function readAddenda({ open }: Progress, line: string): Problem {
  if (!open) return outside
  const entry = open.entries.at(-1)
  if (!entry || !needsAddenda(open)) return 'is an addenda that no entry announces'
  const type = line.slice(1, 3)
  if (type !== '98' && type !== '99') return `is an addenda of type ${type}; 98 and 99 are read`
  const parsed = parseLine(returnAddenda, line)
  if (!parsed.ok) return notDigits(parsed.field)
  const { code, originalTrace, trace } = parsed.values
  if (!(type === '99' ? /^R\d\d$/ : /^C\d\d$/).test(code)) return `gives ${code} as its reason`
  if (!/^\d{15}$/.test(originalTrace)) return 'does not say what it is about'
  if (trace !== entry.trace) return 'has another trace number than its entry'
  open.entries[open.entries.length - 1] = {
    ...entry,
    addenda: addendaOf(type, line, { code, originalTrace }),
  }
  return null
}

type About = { readonly code: string; readonly originalTrace: string }

function addendaOf(type: '98' | '99', line: string, about: About): NachaAddenda {
  if (type === '99') return { kind: 'return', ...about }
  const { from, to } = changeAddenda.corrected
  return { kind: 'change', ...about, corrected: line.slice(from - 1, to).trim() }
}

function closeBatch(progress: Progress, line: string): Problem {
  const { open } = progress
  if (!open) return outside
  if (needsAddenda(open)) return addendaMissing
  const parsed = parseLine(batchControl, line)
  if (!parsed.ok) return notDigits(parsed.field)
  const totals = totalsOf(open.entries)
  if (Number(parsed.values.number) !== Number(open.head.number)) return 'closes another batch'
  const effectiveOn = dateFrom(open.head.effectiveOn)
  if (effectiveOn === 'wrong') return `closes a batch whose date is ${open.head.effectiveOn}`
  progress.totals = addTotals(progress.totals, totals)
  progress.batches.push(batchOf(open, effectiveOn))
  progress.open = null
  return differenceOf(totals, parsed.values)
}

function batchOf({ head, entries }: OpenBatch, effectiveOn: Temporal.PlainDate | null): NachaBatch {
  return {
    companyName: head.companyName,
    companyId: head.companyId,
    entryClass: head.entryClass,
    description: head.description,
    effectiveOn,
    originatingBank: head.originatingBank,
    number: Number(head.number),
    entries,
  }
}

function dateFrom(text: string): Temporal.PlainDate | null | 'wrong' {
  if (text === '') return null
  const [, year = '', month = '', day = ''] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? []
  try {
    return Temporal.PlainDate.from(`20${year}-${month}-${day}`)
  } catch {
    return 'wrong'
  }
}

function closeFile(progress: Progress, line: string): Problem {
  if (progress.open) return 'closes the file inside a batch'
  const parsed = parseLine(fileControl, line)
  if (!parsed.ok) return notDigits(parsed.field)
  const { batchCount, blockCount } = parsed.values
  const { length } = progress.batches
  if (Number(batchCount) !== length) return `counts ${Number(batchCount)} batches; there are ${length}`
  // Whether or not the last block is filled up.
  const blocks = Math.ceil(progress.lines / linesPerBlock)
  if (Number(blockCount) !== blocks) return `counts ${Number(blockCount)} blocks; there are ${blocks}`
  progress.stage = 'closed'
  return differenceOf(progress.totals, parsed.values)
}

function differenceOf(totals: Totals, control: { readonly [Name in keyof Totals]: string }): Problem {
  const wrong = (['entryCount', 'hash', 'debits', 'credits'] as const).find(
    (name) => BigInt(control[name] || '0') !== BigInt(totals[name]),
  )
  return wrong === undefined ? null : `says ${wrong} ${control[wrong]}; counted ${totals[wrong]}`
}

function notDigits(field: string): string {
  return `has something else than digits as ${field}`
}
