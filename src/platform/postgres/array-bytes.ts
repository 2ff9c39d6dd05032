import { assert } from '#kernel/assert.ts'

// An array as PostgreSQL has it itself. Of one that is written out it has to find the elements, undo their
// quotes and read them one by one, which takes it longer than it takes us to write bytes.

type Place = { readonly bytes: Buffer; readonly view: DataView }

// Methods, so that a list of different types is still a list of unknown ones.
export type ElementBytes<T> = {
  bytesMax(value: T): number
  // Answers how many it took.
  write(value: T, into: Place, at: number): number
}

const headBytes = 20
const lengthBytes = 4
const lengthOfNull = -1
const int8Max = 9_223_372_036_854_775_807n

type Element<T> = {
  readonly oid: number
  // Otherwise null is a value, as in JSON.
  readonly isNullable: boolean
  readonly inArrays: ElementBytes<T>
}

export function arrayBytes<T>({ oid, isNullable, inArrays }: Element<T>, values: readonly T[]): Buffer {
  let most = headBytes
  for (const value of values)
    most += lengthBytes + (isNullable && value === null ? 0 : inArrays.bytesMax(value))
  const bytes = Buffer.allocUnsafe(most)
  const view = new DataView(bytes.buffer, bytes.byteOffset, most)
  const into = { bytes, view }
  let at = headBytes
  let lastAt = at
  let hasNull = false
  for (const [place, value] of values.entries()) {
    const startsAt = at
    if (isNullable && value === null) {
      hasNull = true
      view.setInt32(at, lengthOfNull)
      at += lengthBytes
    } else if (place > 0 && value === values[place - 1]) {
      // As in most columns of a batch.
      bytes.copyWithin(at, lastAt, at)
      at += at - lastAt
    } else {
      const length = inArrays.write(value, into, at + lengthBytes)
      view.setInt32(at, length)
      at += lengthBytes + length
    }
    lastAt = startsAt
  }
  writeHead(view, [1, hasNull ? 1 : 0, oid, values.length, 1])
  return bytes.subarray(0, at)
}

// Dimensions, whether there are nulls, the type of the elements, how many they are, and the first subscript.
function writeHead(view: DataView, words: readonly number[]): void {
  words.forEach((word, place) => view.setInt32(4 * place, word))
}

function ofLength<T>(length: number, put: (view: DataView, at: number, value: T) => void): ElementBytes<T> {
  return {
    bytesMax: () => length,
    write: (value, { view }, at) => {
      put(view, at, value)
      return length
    },
  }
}

export const boolBytes = ofLength<boolean>(1, (view, at, value) => view.setInt8(at, value ? 1 : 0))

// What has no room would be written as another number.
export const int4Bytes = ofLength<number>(4, (view, at, value) => {
  assert((value | 0) === value, 'an int4 has room for it')
  view.setInt32(at, value)
})
export const int8Bytes = ofLength<bigint>(8, (view, at, value) => {
  assert(value <= int8Max && value >= -int8Max, 'an int8 has room for it')
  view.setBigInt64(at, value)
})

const firstDay = Temporal.PlainDate.from('2000-01-01')
export const dateBytes = ofLength<Temporal.PlainDate>(4, (view, at, date) =>
  view.setInt32(at, firstDay.until(date).days),
)

const firstNanosecond = firstDay.toZonedDateTime('UTC').epochNanoseconds
export const instantBytes = ofLength<Temporal.Instant>(8, (view, at, instant) =>
  view.setBigInt64(at, microsecondsOf(instant)),
)

// Rounded, as PostgreSQL rounds what is written out.
function microsecondsOf(instant: Temporal.Instant): bigint {
  const nanoseconds = instant.epochNanoseconds - firstNanosecond
  return nanoseconds % 1_000n === 0n
    ? nanoseconds / 1_000n
    : microsecondsOf(instant.round({ smallestUnit: 'microsecond' }))
}

export const byteaBytes: ElementBytes<Buffer> = {
  bytesMax: ({ length }) => length,
  write: (value, { bytes }, at) => value.copy(bytes, at),
}

export const textBytes: ElementBytes<string> = {
  bytesMax: mostBytesOf,
  write: (value, { bytes }, at) => writeText(value, bytes, at),
}

// A version goes before what is written out.
export const jsonbBytes: ElementBytes<unknown> = {
  bytesMax: (value) => 1 + mostBytesOf(JSON.stringify(value)),
  write: (value, { bytes }, at) => {
    bytes[at] = 1
    return 1 + writeText(JSON.stringify(value), bytes, at + 1)
  },
}

// In UTF-8. A letter of four bytes counts as two.
function mostBytesOf({ length }: string): number {
  return 3 * length
}

// Nearly every word is short and of plain letters: to leave those to Node.js takes longer.
function writeText(value: string, bytes: Buffer, at: number): number {
  for (let place = 0; place < value.length; place += 1) {
    const code = value.charCodeAt(place)
    if (code > 127) return bytes.write(value, at)
    bytes[at + place] = code
  }
  return value.length
}

// There are no arrays of arrays.
export const noBytes: ElementBytes<unknown> = {
  bytesMax: () => {
    throw new Error('Broken promise: an array holds no arrays')
  },
  write: () => 0,
}
