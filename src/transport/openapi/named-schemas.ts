import { isDeepStrictEqual } from 'node:util'
import { assert } from '#kernel/assert.ts'
import { titleOf } from '#transport/schema-title.ts'

// Generated clients have one type for each of these, under this name.
export type NamedSchemas = Map<string, object>

// More date forms are read than written.
export type Side = 'request' | 'answer'

// Puts a schema under its name and answers what stands in its place.
export function nameSchema(schemas: NamedSchemas, name: string, schema: object): object {
  const known = schemas.get(name)
  assert(!known || isDeepStrictEqual(known, schema), `a schema has its name to itself: ${name}`)
  schemas.set(name, schema)
  return { $ref: `#/components/schemas/${name}` }
}

// A schema of a contract as the document has it: objects that have a name are referred to, and members that
// start with x- are ours.
export function writeSchema(schemas: NamedSchemas, side: Side, schema: object): object {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part)
    return typeof value === 'object' && value !== null ? writeSchema(schemas, side, value) : value
  }
  const published = Reflect.get(schema, 'x-published')
  const whole = { ...schema, ...(typeof published === 'object' ? published : {}) }
  const own = Object.entries(whole).filter(([name]) => !name.startsWith('x-'))
  const written = {
    ...Object.fromEntries(own.map(([name, value]) => [name, part(value)])),
    ...formatOf(whole, side),
  }
  const title = 'type' in schema && schema.type === 'object' ? titleOf(schema) : null
  return title === null ? written : nameSchema(schemas, title, written)
}

// A bound of 32 bits is one of storage: ids that have it are ids all the same, with one type in clients.
const largestOfInt32 = 2_147_483_647

// Of the emptiness of a text the contract decides. The reader of requests has the same forms.
const emailOrNothing = String.raw`^\s*([^\s@<>,;]+@[^\s@<>,;]+)?\s*$`
const leavableEmail = String.raw`^\s*([^\s@<>,;]+@[^\s@<>,;]+|-1)?\s*$`
const phoneOrNothing = String.raw`^\s*$|^\D*(\d\D*){1,16}$`

// Without these, typed clients read amounts into floats and ids into integers of 32 bits, and dates as texts.
function formatOf(schema: object, side: Side): object {
  const { type, maximum } = { type: null, maximum: Infinity, ...schema }
  if (type === 'number') return { format: 'double' }
  if (type === 'integer') return { format: maximum < largestOfInt32 ? 'int32' : 'int64' }
  if (isMarked(schema, 'x-date')) return side === 'answer' ? { format: 'date-time' } : {}
  if (isMarked(schema, 'x-email'))
    return { pattern: isMarked(schema, 'x-blank') ? leavableEmail : emailOrNothing }
  return isMarked(schema, 'x-phone') ? { pattern: phoneOrNothing } : {}
}

function isMarked(schema: object, mark: string): boolean {
  return Reflect.get(schema, mark) === true
}
