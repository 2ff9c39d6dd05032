// The column types that our statements declare. What PostgreSQL sends is decoded by its type number, so a
// declared type is a claim about the schema; a test compares every claim with the migrated template
// database.

declare const decodesTo: unique symbol

export type ColumnType<T> = {
  // Never set. It tells the compiler that a column which may be null is no column which may not.
  readonly [decodesTo]?: T
  readonly name: string
  readonly oid: number
  readonly arrayOid: number
  readonly isNullable: boolean
  // Whatever needs no quotes in an array, such as a number. A word does, because it might be NULL.
  readonly isPlain: boolean
  // Written as a method, so that a list of different types is still a list of ColumnType<unknown>.
  encode(value: T): Encoded
  // Where PostgreSQL takes long to read what is written: an array as it has it itself.
  encodeMany?(values: readonly T[]): Buffer
}
export type Encoded = string | Buffer | null

type Definition<T> = {
  readonly oid: number
  readonly arrayOid: number
  readonly encode: (value: T) => Encoded
  readonly isPlain?: true
  readonly encodeMany?: (values: readonly T[]) => Buffer
}

function columnType<T>(name: string, definition: Definition<T>): ColumnType<T> {
  return { name, isNullable: false, isPlain: false, ...definition }
}

export const bool = columnType<boolean>('bool', { oid: 16, arrayOid: 1000, isPlain: true, encode: String })
export const bytea = columnType<Buffer>('bytea', { oid: 17, arrayOid: 1001, encode: (value) => value })
export const int8 = columnType<bigint>('int8', { oid: 20, arrayOid: 1016, isPlain: true, encode: String })
export const int4 = columnType<number>('int4', { oid: 23, arrayOid: 1007, isPlain: true, encode: String })
export const text = columnType<string>('text', { oid: 25, arrayOid: 1009, encode: (value) => value })
export const date = columnType<Temporal.PlainDate>('date', {
  oid: 1082,
  arrayOid: 1182,
  isPlain: true,
  encode: String,
})
export const timestamptz = columnType<Temporal.Instant>('timestamptz', {
  oid: 1184,
  arrayOid: 1185,
  isPlain: true,
  encode: String,
  encodeMany: encodeInstants,
})
export const jsonb = columnType<unknown>('jsonb', { oid: 3802, arrayOid: 3807, encode: JSON.stringify })

export function nullable<T>(type: ColumnType<T>): ColumnType<T | null> {
  const { name, oid, arrayOid, isPlain } = type
  const encode = (value: T | null): Encoded => (value === null ? null : type.encode(value))
  return { name, oid, arrayOid, isPlain, isNullable: true, encode }
}

export function arrayOf<T>(type: ColumnType<T>): ColumnType<readonly T[]> {
  return columnType(`${type.name}[]`, {
    oid: type.arrayOid,
    arrayOid: 0,
    encode: (values) => type.encodeMany?.(values) ?? `{${elementsOf(type, values)}}`,
  })
}

const year2000 = Temporal.Instant.from('2000-01-01T00:00Z').epochNanoseconds

// Dimensions, whether there are nulls, type, length and first subscript; then the elements, each behind its
// length: microseconds since 2000. To read an instant that is written out takes PostgreSQL six times as long.
function encodeInstants(instants: readonly Temporal.Instant[]): Buffer {
  const bytes = Buffer.allocUnsafe(20 + 12 * instants.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const head = [1, 0, timestamptz.oid, instants.length, 1]
  head.forEach((word, at) => view.setInt32(4 * at, word))
  let microseconds = 0n
  for (const [at, instant] of instants.entries()) {
    if (at === 0 || instant !== instants[at - 1]) microseconds = microsecondsOf(instant)
    view.setInt32(20 + 12 * at, 8)
    view.setBigInt64(24 + 12 * at, microseconds)
  }
  return bytes
}

// Rounded, as PostgreSQL rounds what is written.
function microsecondsOf(instant: Temporal.Instant): bigint {
  const nanoseconds = instant.epochNanoseconds - year2000
  return nanoseconds % 1_000n === 0n
    ? nanoseconds / 1_000n
    : microsecondsOf(instant.round({ smallestUnit: 'microsecond' }))
}

// Written here and not by the driver, which tries every value against every type it knows: a batch has
// thousands of them. In most columns of a batch one value is like the one before it, and is not written anew.
function elementsOf<T>(type: ColumnType<T>, values: readonly T[]): string {
  let elements = ''
  let element = ''
  values.forEach((value, at) => {
    if (at === 0 || value !== values[at - 1]) element = elementOf(type, value)
    elements += at === 0 ? element : `,${element}`
  })
  return elements
}

function elementOf<T>(type: ColumnType<T>, value: T): string {
  const encoded = type.encode(value)
  if (encoded === null) return 'NULL'
  if (typeof encoded !== 'string') return `"\\\\x${encoded.toString('hex')}"`
  return type.isPlain ? encoded : quoted(encoded)
}

// Hardly any word holds a quote or a backslash, and to look for both is cheaper than to replace none.
function quoted(element: string): string {
  const isHarmless = !element.includes('"') && !element.includes('\\')
  return isHarmless ? `"${element}"` : `"${element.replace(/["\\]/g, '\\$&')}"`
}

const decoders: ReadonlyMap<number, (sent: string) => unknown> = new Map<number, (sent: string) => unknown>([
  [bool.oid, (sent) => sent === 't'],
  [bytea.oid, (sent) => Buffer.from(sent.slice(2), 'hex')],
  [int8.oid, BigInt],
  [int4.oid, Number],
  [date.oid, (sent) => Temporal.PlainDate.from(sent)],
  [timestamptz.oid, (sent) => Temporal.Instant.from(sent)],
  [jsonb.oid, (sent): unknown => JSON.parse(sent)],
])

// Handed to the driver in place of its own table of types, which would make doubles of bigints and Dates of
// moments.
export function decoderFor(oid: number): (sent: string) => unknown {
  return decoders.get(oid) ?? String
}
