import { assert } from '#kernel/assert.ts'
import {
  batchControl,
  batchHeader,
  changeAddenda,
  entryDetail,
  fileControl,
  fileHeader,
  lineLength,
  linesPerBlock,
  printLine,
  returnAddenda,
} from '#kernel/nacha/layout.ts'
import type {
  NachaAddenda,
  NachaBatch,
  NachaEntry,
  NachaFile,
  NachaHeader,
} from '#kernel/nacha/nacha-file.ts'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'
import { addTotals, noTotals, type Totals, totalsOf } from '#kernel/nacha/totals.ts'

// Strict: a file that breaks a rule of the network is never made. Lines end with a line feed.
export function writeNacha({ header, batches }: NachaFile): string {
  assert(batches.length > 0, 'a file holds at least one batch')
  const totals = batches.map(({ entries }) => totalsOf(entries)).reduce(addTotals, noTotals)
  const body = [printHeader(header), ...batches.flatMap(printBatch)]
  const blockCount = Math.ceil((body.length + 1) / linesPerBlock)
  const control = printLine(fileControl, {
    type: '9',
    batchCount: String(batches.length),
    blockCount: String(blockCount),
    ...printTotals(totals),
    reserved: '',
  })
  const padding = blockCount * linesPerBlock - body.length - 1
  const lines = [...body, control, ...Array.from({ length: padding }, () => '9'.repeat(lineLength))]
  return `${lines.join('\n')}\n`
}

// Names as the network takes them: plain capitals without accents, cut to their place. An accent on nothing
// is kept as a sign: a name may not be blank.
export function nachaText(text: string, lengthMax: number): string {
  const plain = text
    .normalize('NFKD')
    .replace(/(?<=\S)\p{Mn}/gu, '')
    .toUpperCase()
    .replace(/[^ -~]/g, '?')
  return plain.trim().slice(0, lengthMax).trim()
}

function printHeader(header: NachaHeader): string {
  assert(isRoutingNumber(header.destination), 'a file is handed to a bank with a routing number')
  assert(/^[A-Z0-9]$/.test(header.modifier), 'the modifier is one letter or digit')
  return printLine(fileHeader, {
    type: '1',
    priority: '01',
    destination: ` ${header.destination}`,
    origin: header.origin.padStart(10),
    createdOn: printDate(header.createdOn),
    createdAt: header.createdAt.toString({ smallestUnit: 'minute' }).replace(':', ''),
    modifier: header.modifier,
    recordSize: '094',
    blockingFactor: '10',
    format: '1',
    destinationName: header.destinationName,
    originName: header.originName,
    reference: header.reference,
  })
}

function printBatch(batch: NachaBatch): readonly string[] {
  assert(batch.entries.length > 0, 'a batch holds at least one entry')
  assert(rise(batch.entries.map(({ trace }) => trace)), 'trace numbers rise within a batch')
  const totals = totalsOf(batch.entries)
  const shared = {
    serviceClass: serviceClassOf(totals, batch),
    companyId: batch.companyId,
    originatingBank: batch.originatingBank,
    number: String(batch.number),
  }
  const head = printLine(batchHeader, {
    type: '5',
    ...shared,
    companyName: batch.companyName,
    discretionary: '',
    entryClass: batch.entryClass,
    description: batch.description,
    descriptiveDate: '',
    effectiveOn: batch.effectiveOn ? printDate(batch.effectiveOn) : '',
    settlementDay: '',
    originatorStatus: '1',
  })
  const control = printLine(batchControl, {
    type: '8',
    ...shared,
    ...printTotals(totals),
    authentication: '',
    reserved: '',
  })
  return [head, ...batch.entries.flatMap(printEntry), control]
}

// 220: credits only, 225: debits only, 200: both, or notices without money.
function serviceClassOf({ debits, credits }: Totals, { entryClass }: NachaBatch): string {
  if (entryClass === 'COR' || (debits > 0n && credits > 0n)) return '200'
  return debits > 0n ? '225' : '220'
}

function printEntry(entry: NachaEntry): readonly string[] {
  assert(isRoutingNumber(entry.routingNumber), 'every entry names a bank')
  assert(/^[0-9A-Z]{1,17}$/i.test(entry.accountNumber), 'every entry names an account')
  const line = printLine(entryDetail, {
    type: '6',
    transactionCode: entry.transactionCode,
    routingNumber: entry.routingNumber,
    accountNumber: entry.accountNumber,
    amount: String(entry.amountMinor),
    individualId: entry.individualId,
    name: entry.name,
    discretionary: entry.discretionary ?? '',
    hasAddenda: entry.addenda ? '1' : '0',
    trace: entry.trace,
  })
  return entry.addenda ? [line, printAddenda(entry.addenda, entry)] : [line]
}

function printAddenda(addenda: NachaAddenda, { trace, routingNumber }: NachaEntry): string {
  const { code, originalTrace } = addenda
  const shared = { type: '7', code, originalTrace, originalBank: routingNumber.slice(0, 8), trace }
  if (addenda.kind === 'return') {
    return printLine(returnAddenda, { ...shared, addendaType: '99', dateOfDeath: '', information: '' })
  }
  const blanks = { reserved: '', reservedToo: '' }
  return printLine(changeAddenda, {
    ...shared,
    ...blanks,
    addendaType: '98',
    corrected: addenda.corrected,
  })
}

function printTotals({ entryCount, hash, debits, credits }: Totals) {
  return {
    entryCount: String(entryCount),
    hash: String(hash),
    debits: String(debits),
    credits: String(credits),
  }
}

function printDate(date: Temporal.PlainDate): string {
  return date.toString().replaceAll('-', '').slice(2)
}

function rise(traces: readonly string[]): boolean {
  return traces.every((trace, at) => at === 0 || trace > (traces[at - 1] ?? ''))
}
