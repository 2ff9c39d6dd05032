import { assert } from '#kernel/assert.ts'

// Every line of a file has 94 characters at fixed places. One table for each kind of line, used by the
// writer and by the reader: the columns are those of the rules of the ACH network, counted from 1.
export const lineLength = 94
export const linesPerBlock = 10

type Field = {
  readonly from: number
  readonly to: number
  // digits: right-justified, filled with zeros. text: left-justified, filled with blanks.
  readonly kind: 'digits' | 'text'
}
export type Layout = Readonly<Record<string, Field>>
export type Values<L extends Layout> = { readonly [Name in keyof L]: string }

const digits = (from: number, to: number): Field => ({ from, to, kind: 'digits' })
const text = (from: number, to: number): Field => ({ from, to, kind: 'text' })

export const fileHeader = {
  type: digits(1, 1),
  priority: digits(2, 3),
  destination: text(4, 13),
  origin: text(14, 23),
  createdOn: digits(24, 29),
  createdAt: text(30, 33),
  modifier: text(34, 34),
  recordSize: digits(35, 37),
  blockingFactor: digits(38, 39),
  format: digits(40, 40),
  destinationName: text(41, 63),
  originName: text(64, 86),
  reference: text(87, 94),
} as const satisfies Layout

export const batchHeader = {
  type: digits(1, 1),
  serviceClass: digits(2, 4),
  companyName: text(5, 20),
  discretionary: text(21, 40),
  companyId: text(41, 50),
  entryClass: text(51, 53),
  description: text(54, 63),
  descriptiveDate: text(64, 69),
  effectiveOn: text(70, 75),
  settlementDay: text(76, 78),
  originatorStatus: text(79, 79),
  originatingBank: digits(80, 87),
  number: digits(88, 94),
} as const satisfies Layout

export const entryDetail = {
  type: digits(1, 1),
  transactionCode: digits(2, 3),
  routingNumber: digits(4, 12),
  accountNumber: text(13, 29),
  amount: digits(30, 39),
  individualId: text(40, 54),
  name: text(55, 76),
  discretionary: text(77, 78),
  hasAddenda: digits(79, 79),
  trace: digits(80, 94),
} as const satisfies Layout

// A return: why, and of what.
export const returnAddenda = {
  type: digits(1, 1),
  addendaType: digits(2, 3),
  code: text(4, 6),
  originalTrace: digits(7, 21),
  dateOfDeath: text(22, 27),
  originalBank: digits(28, 35),
  information: text(36, 79),
  trace: digits(80, 94),
} as const satisfies Layout

// A notice of change: what should have been written in its place.
export const changeAddenda = {
  type: digits(1, 1),
  addendaType: digits(2, 3),
  code: text(4, 6),
  originalTrace: digits(7, 21),
  reserved: text(22, 27),
  originalBank: digits(28, 35),
  corrected: text(36, 64),
  reservedToo: text(65, 79),
  trace: digits(80, 94),
} as const satisfies Layout

export const batchControl = {
  type: digits(1, 1),
  serviceClass: digits(2, 4),
  entryCount: digits(5, 10),
  hash: digits(11, 20),
  debits: digits(21, 32),
  credits: digits(33, 44),
  companyId: text(45, 54),
  authentication: text(55, 73),
  reserved: text(74, 79),
  originatingBank: digits(80, 87),
  number: digits(88, 94),
} as const satisfies Layout

export const fileControl = {
  type: digits(1, 1),
  batchCount: digits(2, 7),
  blockCount: digits(8, 13),
  entryCount: digits(14, 21),
  hash: digits(22, 31),
  debits: digits(32, 43),
  credits: digits(44, 55),
  reserved: text(56, 94),
} as const satisfies Layout

// Strict: whatever does not fit its place is a fault of the caller, never cut or rounded here.
export function printLine<const L extends Layout>(layout: L, values: Values<L>): string {
  const parts = Object.entries(layout).map(([name, field]) => printField(name, field, values[name] ?? ''))
  const line = parts.join('')
  assert(line.length === lineLength, 'the fields of a line fill it without a gap')
  return line
}

function printField(name: string, { from, to, kind }: Field, value: string): string {
  const length = to - from + 1
  assert(value.length <= length, `${name} has room for ${length} characters`)
  if (kind === 'digits') {
    assert(/^\d+$/.test(value), `${name} is made of digits`)
    return value.padStart(length, '0')
  }
  assert(/^[ -~]*$/.test(value), `${name} is plain ASCII`)
  return value.padEnd(length)
}

type Parsed<L extends Layout> =
  | { readonly ok: true; readonly values: Values<L> }
  | { readonly ok: false; readonly field: string }

// Answers the trimmed fields, or the first one that holds something else than digits where those belong.
export function parseLine<L extends Layout>(layout: L, line: string): Parsed<L> {
  const fields = Object.entries(layout).map(([name, field]) => {
    return { name, kind: field.kind, value: line.slice(field.from - 1, field.to).trim() }
  })
  const wrong = fields.find(({ kind, value }) => kind === 'digits' && !/^\d*$/.test(value))
  if (wrong) return { ok: false, field: wrong.name }
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  assert(isFilled(layout, values), 'every field of a line has a value')
  return { ok: true, values }
}

function isFilled<L extends Layout>(layout: L, values: object): values is Values<L> {
  return Object.keys(layout).every((name) => name in values)
}
