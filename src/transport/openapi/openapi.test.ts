import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { nameSchema, type NamedSchemas } from '#transport/openapi/named-schemas.ts'
import { openApiDocument } from '#transport/openapi/openapi.ts'

type Part = Readonly<Record<string, unknown>>

const within = (place: unknown, ...names: readonly string[]): Part =>
  names.reduce((at, name) => Object(Object(at)[name]), Object(place))

const document = openApiDocument(operations, 'family')
const schemas = within(document, 'components', 'schemas')

// Every schema inside a part, with itself.
function schemasIn(part: unknown): readonly Part[] {
  if (typeof part !== 'object' || part === null) return []
  return [Object(part), ...Object.values(part).flatMap(schemasIn)]
}

const titled = (part: unknown) =>
  schemasIn(part).filter(({ type, title }) => type === 'object' && typeof title === 'string')

const formatsOfDates = (schema: string) =>
  schemasIn(schemas[schema])
    .filter((part) => part['x-date'] === true)
    .map(({ format }) => format)

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

for (const { contract } of operations) {
  const { prefix, path, resultKey } = contract
  test(`what ${path} takes and answers is called by its result key`, () => {
    const described = within(document, 'paths', prefix + path, 'post')
    const schemaOf = (...names: readonly string[]) =>
      within(described, ...names, 'content', 'application/json', 'schema')
    const name = resultKey.replace(/Result$/, '')
    assert.deepEqual(schemaOf('requestBody'), referenceTo(`${name}Request`))
    assert.deepEqual(schemaOf('responses', '200'), referenceTo(`${name}Response`))
    assert.deepEqual(within(schemas, `${name}Response`, 'properties'), {
      [resultKey]: referenceTo(resultKey),
    })
  })
}

test('an object that has a name stands once, so that a program has one type for it', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    assert.deepEqual(
      titled(schema).map(({ title }) => title),
      within(schema)['title'] === undefined ? [] : [name],
    )
  }
  assert.deepEqual(titled(within(document, 'paths')), [])
  assert.deepEqual(
    within(schemas, 'ACHTransactionRequest', 'properties', 'AcctHolder'),
    referenceTo('Person'),
  )
  assert.deepEqual(within(schemas, 'Person', 'properties', 'BillIngAdress'), referenceTo('Address'))
})

test('two objects cannot share a name', () => {
  const named: NamedSchemas = new Map()
  nameSchema(named, 'Amounts', { type: 'object' })
  assert.deepEqual(nameSchema(named, 'Amounts', { type: 'object' }), referenceTo('Amounts'))
  assert.throws(() => nameSchema(named, 'Amounts', { type: 'string' }), /a schema has its name to itself/)
})

test('every integer is announced with 64 bits, as in the WSDL: ids outgrow 32', () => {
  const integers = schemasIn(schemas).filter(({ type }) => type === 'integer')
  assert(integers.length > 100)
  assert.deepEqual([...new Set(integers.map(({ format }) => format))], ['int64'])
})

test('a date is announced as a moment where it is answered, not where it is asked for in more forms', () => {
  assert.deepEqual(formatsOfDates('UserRecord'), ['date-time', 'date-time', 'date-time'])
  assert.deepEqual(formatsOfDates('InternationalRecord'), ['date-time', 'date-time', 'date-time'])
  assert.deepEqual(formatsOfDates('RecurringSchedule_ModifyRequest'), [undefined])
})
