import { isDeepStrictEqual } from 'node:util'
import { assert } from '#kernel/assert.ts'
import { titleOf } from '#transport/schema-title.ts'

// Whoever makes a program from the document gets one type for each of these, under this name.
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

// A schema of a contract as the document has it: objects that have a name are referred to.
export function writeSchema(schemas: NamedSchemas, side: Side, schema: object): object {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part)
    return typeof value === 'object' && value !== null ? writeSchema(schemas, side, value) : value
  }
  const written = {
    ...Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, part(value)])),
    ...formatOf(schema, side),
  }
  const title = 'type' in schema && schema.type === 'object' ? titleOf(schema) : null
  return title === null ? written : nameSchema(schemas, title, written)
}

// Without these, typed clients take integers for ones of 32 bits, which ids outgrow, and dates for texts.
function formatOf(schema: object, side: Side): object {
  if ('type' in schema && schema.type === 'integer') return { format: 'int64' }
  return 'x-date' in schema && schema['x-date'] === true && side === 'answer' ? { format: 'date-time' } : {}
}
