import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { currencyName } from '#capabilities/wire/other-members.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { type Answered, readEnvelope } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

// Every member of every request that may carry an idempotency key: the same key with another value of it, or
// with a value where there was none, is another request. A new member is covered as soon as it is listed.

type Body = Readonly<Record<string, unknown>>
type Member = { readonly path: readonly string[]; readonly schema: TSchema }

// Only compared, never kept: the security code. And the currency, which can only be that of the record.
const without = new Set(['CSV', currencyName])

const contracts = operations.map(({ contract }) => contract).filter(({ takesKey }) => takesKey)

function membersOf(schema: TSchema, path: readonly string[] = []): readonly Member[] {
  if (!Type.IsObject(schema)) return [{ path, schema }]
  return Object.entries<TSchema>(schema.properties).flatMap(([name, inner]) =>
    membersOf(inner, [...path, name]),
  )
}

function putAt(body: Body, [name = '', ...inner]: readonly string[], value: unknown): Body {
  return { ...body, [name]: inner.length === 0 ? value : putAt({ ...Object(body[name]) }, inner, value) }
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((outer, name) => Reflect.get(Object(outer), name), body)
}

const others: Readonly<Record<string, unknown>> = {
  AccountNumber: '4242424242424242',
  Track: ';4242424242424242=3012101?',
  Questions: [{ Question: 'ZIP?', Answer: '62701' }],
  Period: 'WEEKLY',
  SingleUse: 0,
}

// Another value that the reader of requests takes.
function otherThan(value: unknown, { path, schema }: Member): unknown {
  const name = path.at(-1) ?? ''
  if (Object.hasOwn(others, name)) return others[name]
  if (Type.IsArray(schema)) return [...(Array.isArray(value) ? value : []), 987_654]
  if (Type.IsInteger(schema) || Type.IsNumber(schema)) return Number(value ?? 0) === 1 ? 2 : 1
  if (/email/i.test(name)) return 'eve@example.com'
  if (/phone/i.test(name)) return '+12125550199'
  return value === '1' ? '2' : '1'
}

// A plan is whole or not there at all, so the form has one before its members are changed.
function withPlan(body: Body): Body {
  const { InitParams } = body
  if (!InitParams) return body
  const plan = { NumPayments: 3, TotalAmount: 375, Period: 'MONTHLY', ServiceDescrip: 'Books' }
  const whole = { ...Object(InitParams), Amounts: { BaseAmt: 0 }, Subscription: plan }
  const options = { eVisible: 'E063', eReadOnly: '0003', eSubmission: '0208', eFeatures: '0001' }
  return { ...body, InitParams: { ...whole, WidOptions: { ...whole.WidOptions, ...options } } }
}

describe('under the same idempotency key', () => {
  const gateway = useGateway()
  let SessKey = ''
  before(async () => {
    SessKey = await gateway().signIn()
  })

  async function send({ prefix, path, resultKey }: ContractFacts, body: object): Promise<Answered> {
    const headers = { SessKey, 'Idempotency-Key': `each-member-${resultKey}` }
    return readEnvelope((await gateway().post(prefix + path, body, headers)).text, resultKey)
  }

  for (const contract of contracts) {
    test(`every member of ${contract.path} counts`, async () => {
      const body = withPlan(await freshBody(gateway(), SessKey, contract))
      const first = await send(contract, body)
      assert.equal(first.ErrCode, 0, first.ErrMsg)
      const members = membersOf(contract.request)
      const codes = new Map<string, number>()
      for (const member of members) {
        const other = putAt(body, member.path, otherThan(valueAt(body, member.path), member))
        codes.set(member.path.join('.'), (await send(contract, other)).ErrCode)
      }
      const counted = members.filter(({ path }) => !without.has(path.at(-1) ?? ''))
      const expected = counted.map(({ path }) => [path.join('.'), 4221])
      const got = [...codes].filter(([path]) => !without.has(path.split('.').at(-1) ?? ''))
      assert.deepEqual(got, expected)
      assert.deepEqual(await send(contract, body), first, 'and the first is answered again')
    })
  }

  test('there are such operations', () => assert(contracts.length > 10))
})
