import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { readXml } from '#transport/soap/read-xml.ts'
import { shapeOf } from '#transport/soap/schema-shape.ts'
import { soapOperationOf } from '#transport/soap/soap-operation.ts'
import { readParameters } from '#transport/soap/xml-to-body.ts'

// What holds for members of a kind, tried on every such member of every contract.

type Member = { readonly path: readonly string[]; readonly schema: TSchema }
type Body = Readonly<Record<string, unknown>>

const contracts = operations.map(({ contract }) => contract)

function membersOf(schema: TSchema, path: readonly string[] = []): readonly Member[] {
  if (!Type.IsObject(schema)) return [{ path, schema }]
  return Object.entries<TSchema>(schema.properties).flatMap(([name, inner]) => [
    ...(Type.IsObject(inner) ? [] : [{ path: [...path, name], schema: inner }]),
    ...(Type.IsObject(inner) ? membersOf(inner, [...path, name]) : []),
  ])
}

function putAt(body: Body, [name = '', ...inner]: readonly string[], value: unknown): Body {
  return { ...body, [name]: inner.length === 0 ? value : putAt({ ...Object(body[name]) }, inner, value) }
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((outer, name) => Reflect.get(Object(outer), name), body)
}

const isId = (name: string): boolean => /(?:ID|IDs)$/.test(name)

function idsOf({ request }: ContractFacts): readonly Member[] {
  return membersOf(request).filter(({ path, schema }) => {
    const one = Type.IsArray(schema) ? schema.items : schema
    return isId(path.at(-1) ?? '') && Type.IsInteger(one)
  })
}

describe('an id is taken as a text of digits', () => {
  test('wherever there is one', () => {
    const all = contracts.flatMap(idsOf).map(({ path }) => path.at(-1))
    const expected = [
      'MerchID',
      'ConsentID',
      'TxID',
      'SchedID',
      'SchedIDs',
      'TransactionIDs',
      'LinkID',
      'TXID',
    ]
    for (const name of [...expected, 'AcctHolderID', 'AlternateMerchID', 'WebhookID'])
      assert(all.includes(name), `${name} is among them`)
  })

  for (const contract of contracts) {
    for (const { path, schema } of idsOf(contract)) {
      test(`${contract.path} ${path.join('.')}`, () => {
        const [text, number] = Type.IsArray(schema)
          ? [
              ['12', 13],
              [12, 13],
            ]
          : [' 0012 ', 12]
        const read = requestReader(contract.request)(putAt({ ...contract.example.request }, path, text))
        assert(read.ok, JSON.stringify(read))
        assert.deepEqual(valueAt(read.value, path), number)
      })
    }
  }
})

const numeric = new Set(['integer', 'number', 'amount', 'boolean', 'number-or-text'])

describe('an empty element of a number or a boolean is absent', () => {
  for (const contract of contracts) {
    const soap = soapOperationOf(contract)
    for (const { path } of membersOf(contract.request).filter(({ schema }) =>
      numeric.has(shapeOf(schema).kind),
    )) {
      for (const blank of ['', ' \n']) {
        test(`${contract.path} <${path.join('><')}>${JSON.stringify(blank)}`, () => {
          const written = path.reduceRight((inner, name) => `<${name}>${inner}</${name}>`, blank)
          const element = readXml(`<${soap.name} xmlns="urn:tillgate:cardproc:v1">${written}</${soap.name}>`)
          assert(element.ok)
          const read = readParameters(element.value, soap)
          assert(read.ok)
          const outer = valueAt(read.value.body, path.slice(0, -1))
          assert.deepEqual(outer, {})
        })
      }
    }
  }
})

const hasAmounts = ({ request }: ContractFacts): boolean =>
  membersOf(request).some(({ schema }) => 'x-amount' in schema)

describe('a currency', () => {
  for (const contract of contracts) {
    const { load, currencyOf, request } = contract
    const namesMoney = load === 'money' || load === 'vital' || hasAmounts(contract)
    test(`${contract.path} ${namesMoney ? 'takes' : 'does not take'} one`, () => {
      assert.equal(currencyOf !== undefined, namesMoney)
      assert.equal('Currency' in request.properties, namesMoney)
      if (!currencyOf) return
      const owner = membersOf(request).find(({ path }) => path.join('.') === currencyOf.path)
      assert(owner, `${currencyOf.path} is a member`)
    })
  }
})
