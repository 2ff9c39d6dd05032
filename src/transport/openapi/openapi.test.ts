import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { operations } from '#capabilities/operations.ts'
import { eventTypes } from '#engine/events/event-registry.ts'
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
    .filter((part) => String(part['examples']).startsWith('2027-'))
    .map(({ format }) => format)

const numbersIn = (part: unknown) =>
  schemasIn(part).filter(({ type }) => type === 'integer' || type === 'number')

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

for (const { contract } of operations) {
  const { prefix, path, resultKey } = contract
  test(`what ${path} takes and answers is called by its result key`, () => {
    const described = within(document, 'paths', prefix + path, 'post')
    const schemaOf = (...names: readonly string[]) =>
      within(described, ...names, 'content', 'application/json', 'schema')
    const name = resultKey.replace(/Result$/, '')
    assert.deepEqual(schemaOf('requestBody'), referenceTo(`${name}Request`))
    assert.deepEqual(schemaOf('responses', '200'), referenceTo(`${name}Answer`))
    assert.deepEqual(within(schemas, `${name}Answer`, 'properties'), {
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

test('every number has a format, so that no client takes an amount for a float or an id for 32 bits', () => {
  for (const { format } of numbersIn(document)) assert.match(String(format), /^(?:double|int32|int64)$/)
  assert(numbersIn(schemas).length > 200)
  for (const { type, format, maximum = Infinity, description } of numbersIn(schemas)) {
    const integer = Number(maximum) < 2 ** 31 - 1 ? 'int32' : 'int64'
    assert.equal(format, type === 'number' ? 'double' : integer, String(description))
  }
  const { LimitPerCharge } = within(schemas, 'ConsentCreator', 'properties')
  assert.equal(within(LimitPerCharge)['format'], 'double')
})

test('no member of the document is one of ours alone', () => {
  const own = schemasIn(document).flatMap((part) => Object.keys(part).filter((name) => name.startsWith('x-')))
  assert.deepEqual(own, [])
})

test('no schema has a name that a generator of clients gives to something else', () => {
  const names = Object.keys(schemas)
  const own = names.filter((name) => /(?:Response|RequestBody)$/.test(name))
  assert.deepEqual(own, [])
  const plain = names.map((name) => name.replaceAll('_', '').toLowerCase())
  assert.deepEqual(plain, [...new Set(plain)])
})

test('every group of operations is described', () => {
  const { tags } = document as { tags: readonly Part[] }
  for (const { name, description } of tags) assert(String(description).length > 10, String(name))
  const used = schemasIn([document]).flatMap((part) => (Array.isArray(part['tags']) ? part['tags'] : []))
  const named = new Set(used.filter((tag) => typeof tag === 'string'))
  assert.deepEqual(named, new Set(tags.map(({ name }) => name)))
})

for (const style of ['family', 'strict'] as const)
  test(`in ${style} style every shared response is used`, () => {
    const written = openApiDocument(operations, style)
    const text = JSON.stringify(written)
    for (const name of Object.keys(within(written, 'components', 'responses')))
      assert(text.includes(`"#/components/responses/${name}"`), name)
  })

for (const type of eventTypes)
  test(`what a webhook of ${type} receives fits what is published`, () => {
    const { requestBody } = within(document, 'webhooks', type, 'post')
    const { schema, example } = within(requestBody, 'content', 'application/json')
    assert(Compile(Object(schema)).Check(example))
  })

test('a date is announced as a moment where it is answered, not where it is asked for in more forms', () => {
  assert.deepEqual(formatsOfDates('UserRecord'), ['date-time', 'date-time', 'date-time'])
  assert.deepEqual(formatsOfDates('InternationalRecord'), ['date-time', 'date-time', 'date-time'])
  assert.deepEqual(formatsOfDates('RecurringSchedule_ModifyRequest'), [undefined])
})
