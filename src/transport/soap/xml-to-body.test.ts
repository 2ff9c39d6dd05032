import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { orNull, WireAmount } from '#capabilities/wire/scalars.wire.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { readXml } from '#transport/soap/read-xml.ts'
import type { SoapOperation } from '#transport/soap/soap-operation.ts'
import { readParameters } from '#transport/soap/xml-to-body.ts'

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

const request = Type.Object({
  SessKey: Type.String(),
  Text: Type.String(),
  Whole: Type.Integer(),
  Ratio: Type.Number(),
  Amount: WireAmount('An amount.'),
  Flag: Type.Boolean(),
  Period: Type.Union([Type.Integer(), Type.String()]),
  Kind: Type.Union([Type.Literal('PF'), Type.Literal('PA')]),
  Note: Type.Optional(orNull(Type.String())),
  Ids: Type.Array(Type.Integer()),
  Person: Type.Optional(Type.Object({ Name: Type.String(), Address: Type.Object({ City: Type.String() }) })),
  Items: Type.Array(Type.Object({ Price: WireAmount('A price.'), Names: Type.Array(Type.String()) })),
  IdempotencyKey: Type.Optional(Type.String()),
})

const operation: SoapOperation = {
  name: 'Probe',
  resultKey: 'ProbeResult',
  request,
  result: Type.Object({}),
  takesSessionKey: true,
  takesIdempotencyKey: true,
}

function read(members: string, namespace = 'urn:tillgate:cardproc:v1') {
  const element = readXml(`<Probe xmlns="${namespace}" ${xsi}>${members}</Probe>`)
  assert(element.ok)
  return readParameters(element.value, operation)
}

function bodyOf(members: string, namespace?: string): unknown {
  const parameters = read(members, namespace)
  assert(parameters.ok)
  return parameters.value.body
}

const forms: readonly [string, object][] = [
  ['', {}],
  ['<Text>a b</Text>', { Text: 'a b' }],
  ['<Text> a </Text>', { Text: ' a ' }],
  ['<Text/>', { Text: '' }],
  ['<Text></Text>', { Text: '' }],
  ['<Text>1</Text>', { Text: '1' }],
  ['<Text><b>1</b></Text>', { Text: {} }],
  ['<Whole>7</Whole>', { Whole: 7 }],
  ['<Whole> +7\n</Whole>', { Whole: 7 }],
  ['<Whole>-1</Whole>', { Whole: -1 }],
  ['<Whole>007</Whole>', { Whole: 7 }],
  ['<Whole>1.5</Whole>', { Whole: 1.5 }],
  ['<Whole>999999999999999</Whole>', { Whole: 999_999_999_999_999 }],
  ['<Whole>1234567890123456</Whole>', { Whole: '1234567890123456' }],
  ['<Whole>seven</Whole>', { Whole: 'seven' }],
  ['<Whole>0x10</Whole>', { Whole: '0x10' }],
  ['<Whole>1 2</Whole>', { Whole: '1 2' }],
  ['<Whole>Infinity</Whole>', { Whole: 'Infinity' }],
  ['<Whole/>', {}],
  ['<Whole> </Whole>', {}],
  ['<Ratio/>', {}],
  ['<Amount></Amount>', {}],
  ['<Period/>', {}],
  ['<Ratio>.5</Ratio>', { Ratio: 0.5 }],
  ['<Ratio>5.</Ratio>', { Ratio: 5 }],
  ['<Ratio>1.5E2</Ratio>', { Ratio: 150 }],
  ['<Ratio>1e400</Ratio>', { Ratio: '1e400' }],
  ['<Ratio>NaN</Ratio>', { Ratio: 'NaN' }],
  ['<Ratio>0.1234567890123456</Ratio>', { Ratio: '0.1234567890123456' }],
  ['<Amount> 10.10 </Amount>', { Amount: '10.10' }],
  ['<Amount>ten</Amount>', { Amount: 'ten' }],
  ['<Amount>.5</Amount>', { Amount: '0.5' }],
  ['<Amount>5.</Amount>', { Amount: '5' }],
  ['<Amount>+.05</Amount>', { Amount: '+0.05' }],
  ['<Amount>-5.</Amount>', { Amount: '-5' }],
  ['<Amount>.</Amount>', { Amount: '.' }],
  ['<Amount>.5e1</Amount>', { Amount: '.5e1' }],
  ['<Flag>true</Flag>', { Flag: true }],
  ['<Flag> 1 </Flag>', { Flag: true }],
  ['<Flag>false</Flag>', { Flag: false }],
  ['<Flag>0</Flag>', { Flag: false }],
  ['<Flag>True</Flag>', { Flag: 'True' }],
  ['<Flag/>', {}],
  ['<Period>4</Period>', { Period: 4 }],
  ['<Period>04</Period>', { Period: '04' }],
  ['<Period>MONTHLY</Period>', { Period: 'MONTHLY' }],
  ['<Kind>PF</Kind>', { Kind: 'PF' }],
  ['<Note xsi:nil="true"/>', {}],
  ['<Note xsi:nil="1"></Note>', {}],
  ['<Note xsi:nil="false"/>', { Note: '' }],
  ['<Note nil="true"/>', { Note: '' }],
  ['<Whole xsi:nil="true"/>', {}],
  ['<Ids/>', { Ids: [] }],
  ['<Ids><long>1</long><long>x</long></Ids>', { Ids: [1, 'x'] }],
  ['<Ids><int>1</int><a:long xmlns:a="urn:a">2</a:long></Ids>', { Ids: [1, 2] }],
  ['<Ids>1</Ids>', { Ids: '1' }],
  ['<Ids><long xsi:nil="true"/></Ids>', { Ids: [null] }],
  ['<Person/>', { Person: {} }],
  ['<Person>Ann</Person>', { Person: 'Ann' }],
  ['<Person><Name>Ann</Name><Age>9</Age></Person>', { Person: { Name: 'Ann', Age: '9' } }],
  ['<Items><item><Price>1</Price></item><item/></Items>', { Items: [{ Price: '1' }, {}] }],
  ['<Unknown>1</Unknown><Text>a</Text><Other/>', { Unknown: '1', Text: 'a' }],
  ['<Unknown><Size>1</Size><Size>2</Size></Unknown>', { Unknown: {} }],
  ['<constructor><x>1</x></constructor><toString>1</toString>', { constructor: {}, toString: '1' }],
  ['<text>a</text>', { text: 'a' }],
  ['<Text xmlns="">a</Text>', { Text: 'a' }],
  ['<Text xmlns="urn:other">a</Text>', {}],
]

for (const [members, body] of forms) {
  test(`reads ${JSON.stringify(members)} as ${JSON.stringify(body)}`, () => {
    assert.deepEqual(bodyOf(members), body)
  })
}

const Amount = WireAmount('An amount.')
const readRequest = requestReader(Type.Object({ Amount }))

for (const [written, amount] of [
  ['.5', 0.5],
  ['5.', 5],
  ['+5.00', 5],
  ['+.50', 0.5],
  ['0005.10', 5.1],
] as const) {
  test(`takes the amount ${written}, which is a decimal of XML Schema`, () => {
    const taken = readRequest(bodyOf(`<Amount>${written}</Amount>`))
    assert.deepEqual(taken, { ok: true, value: { Amount: amount } })
  })
}

for (const written of ['5e0', '.5E1', '.', '+', '5..', '1,5']) {
  test(`refuses the amount ${written}, which is none`, () => {
    assert.equal(readRequest(bodyOf(`<Amount>${written}</Amount>`)).ok, false)
  })
}

test('reads members of no namespace', () => {
  assert.deepEqual(bodyOf('<Text>a</Text>', ''), { Text: 'a' })
})

const twice: readonly [string, string][] = [
  ['<Text>a</Text><Text>b</Text>', 'Text'],
  ['<Text>a</Text><Text xsi:nil="true"/>', 'Text'],
  ['<Ids/><Ids/>', 'Ids'],
  ['<SessKey>a</SessKey><SessKey>b</SessKey>', 'SessKey'],
  ['<Text>a</Text><Text xmlns="">b</Text>', 'Text'],
  ['<Unknown>1</Unknown><Text>a</Text><Unknown>1</Unknown>', 'Unknown'],
  ['<Person><Address><City>a</City><City>b</City></Address></Person>', 'City'],
  ['<Items><item><Price>1</Price><Price>1</Price></item></Items>', 'Price'],
]

for (const [members, name] of twice) {
  test(`refuses ${members}`, () => {
    const parameters = read(members)
    assert(!parameters.ok)
    assert.equal(parameters.refusal.kind, 'malformed_request')
    assert.equal(parameters.refusal.details['problem'], `the element ${name} occurs more than once`)
  })
}

const key = '0123456789abcdef'.repeat(4)

test('takes the keys out of the body', () => {
  const parameters = read(`<SessKey> ${key}\n</SessKey><Text>a</Text><IdempotencyKey>k2 </IdempotencyKey>`)
  assert(parameters.ok)
  assert.deepEqual(parameters.value.body, { Text: 'a' })
  assert.equal(parameters.value.sessionKey?.reveal(), key)
  assert.deepEqual(parameters.value.idempotencyKeys, ['k2'])
  const small = read('<Text>a</Text><idempotencyKey>k3</idempotencyKey>')
  assert.deepEqual(
    [small.ok && small.value.idempotencyKeys, small.ok && small.value.body],
    [['k3'], { Text: 'a' }],
  )
})

for (const members of [
  '',
  '<SessKey xsi:nil="true"/><IdempotencyKey xsi:nil="true"/>',
  '<SessKey><a/></SessKey><IdempotencyKey><a/></IdempotencyKey>',
  '<SessKey/><IdempotencyKey/>',
]) {
  test(`finds no keys in ${JSON.stringify(members)}`, () => {
    const parameters = read(members)
    assert(parameters.ok)
    assert.deepEqual(parameters.value, { body: {}, sessionKey: null, idempotencyKeys: [] })
  })
}

test('leaves a text where the members belong to the check behind it', () => {
  assert.equal(bodyOf('all of it'), 'all of it')
})

// The client of the property below, as simple as one can be.
function write(name: string, value: unknown): string {
  if (Array.isArray(value)) return `<${name}>${value.map((item) => write('item', item)).join('')}</${name}>`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([member, inner]) => write(member, inner))
    return `<${name}>${members.join('')}</${name}>`
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const escaped = text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<${name}>${escaped}</${name}>`
}

function valuesOf(schema: TSchema): fc.Arbitrary<unknown> {
  if (Type.IsObject(schema)) {
    const members = Object.entries(schema.properties).filter(([name]) => !name.endsWith('Key'))
    const arbitraries = Object.fromEntries(members.map(([name, member]) => [name, valuesOf(member)]))
    return fc.record(arbitraries, { requiredKeys: [], noNullPrototype: true })
  }
  if (Type.IsArray(schema)) return fc.array(valuesOf(schema.items), { maxLength: 4 })
  if (Type.IsUnion(schema)) return valuesOf(schema.anyOf[0] ?? schema)
  if ('x-amount' in schema)
    return fc.integer({ min: 0, max: 999_999 }).map((cents) => (cents / 100).toFixed(2))
  if (Type.IsInteger(schema)) return fc.integer()
  if (Type.IsNumber(schema)) return fc.integer().map((thousandths) => thousandths / 1000)
  if (Type.IsBoolean(schema)) return fc.boolean()
  if (Type.IsLiteral(schema)) return fc.constant(schema.const)
  return fc.string({
    unit: fc.oneof(fc.constantFrom('\r', '\n', '\t', '&', '<', ']]>'), fc.string({ unit: 'grapheme' })),
  })
}

test('reads back every body that a client wrote', () => {
  fc.assert(
    fc.property(valuesOf(request), (body) => {
      const members = Object.entries(body as object).map(([name, value]) => write(name, value))
      assert.deepEqual(bodyOf(members.join('')), body)
    }),
  )
})
