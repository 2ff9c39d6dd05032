import {
  arrayBytes,
  boolBytes,
  byteaBytes,
  dateBytes,
  type ElementBytes,
  instantBytes,
  int4Bytes,
  int8Bytes,
  jsonbBytes,
  noBytes,
  textBytes,
} from '#platform/postgres/array-bytes.ts'

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
  // Written as a method, so that a list of different types is still a list of ColumnType<unknown>.
  encode(value: T): Encoded
  readonly inArrays: ElementBytes<T>
}
export type Encoded = string | Buffer | null

type Definition<T> = {
  readonly oid: number
  readonly arrayOid: number
  readonly encode: (value: T) => Encoded
  readonly inArrays: ElementBytes<T>
}

function columnType<T>(name: string, definition: Definition<T>): ColumnType<T> {
  return { name, isNullable: false, ...definition }
}

export const bool = columnType<boolean>('bool', {
  oid: 16,
  arrayOid: 1000,
  encode: String,
  inArrays: boolBytes,
})
export const bytea = columnType<Buffer>('bytea', {
  oid: 17,
  arrayOid: 1001,
  encode: (value) => value,
  inArrays: byteaBytes,
})
export const int8 = columnType<bigint>('int8', {
  oid: 20,
  arrayOid: 1016,
  encode: String,
  inArrays: int8Bytes,
})
export const int4 = columnType<number>('int4', {
  oid: 23,
  arrayOid: 1007,
  encode: String,
  inArrays: int4Bytes,
})
export const text = columnType<string>('text', {
  oid: 25,
  arrayOid: 1009,
  encode: (value) => value,
  inArrays: textBytes,
})
export const date = columnType<Temporal.PlainDate>('date', {
  oid: 1082,
  arrayOid: 1182,
  encode: String,
  inArrays: dateBytes,
})
export const timestamptz = columnType<Temporal.Instant>('timestamptz', {
  oid: 1184,
  arrayOid: 1185,
  encode: String,
  inArrays: instantBytes,
})
export const jsonb = columnType<unknown>('jsonb', {
  oid: 3802,
  arrayOid: 3807,
  encode: JSON.stringify,
  inArrays: jsonbBytes,
})

export function nullable<T>(type: ColumnType<T>): ColumnType<T | null> {
  const encode = (value: T | null): Encoded => (value === null ? null : type.encode(value))
  // An array has a place for null, whatever its elements are.
  return { ...type, isNullable: true, encode, inArrays: type.inArrays }
}

// Written here and not by the driver, which tries every value against every type it knows: a batch has
// thousands of them.
export function arrayOf<T>(type: ColumnType<T>): ColumnType<readonly T[]> {
  return columnType<readonly T[]>(`${type.name}[]`, {
    oid: type.arrayOid,
    arrayOid: 0,
    encode: (values) => arrayBytes(type, values),
    inArrays: noBytes,
  })
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
