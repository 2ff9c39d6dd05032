import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import { type Client, createClientAsync } from 'soap'
import { Type } from 'typebox'
import type { Context } from '#capabilities/context.ts'
import { defineContract, type Operation, serve } from '#capabilities/wire/contract.ts'
import { doneEnvelope } from '#capabilities/wire/envelope.ts'
import { orNull, WireAmount, WireId } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'
import { readXml } from '#transport/soap/read-xml.ts'
import { registerSoap } from '#transport/soap/soap-routes.ts'
import { writeWsdl } from '#transport/soap/wsdl.ts'

const key = '0123456789abcdef'.repeat(4)

const amounts = Type.Object({
  BaseAmt: WireAmount('Before fees.'),
  Surcharge: Type.Optional(WireAmount('The fee.')),
})
const merchant = Type.Object({ ID: WireId('Its number.'), Descrip: Type.String() }, { title: 'Merchant' })
const facts = {
  prefix: '/APIcardProcREST/v1.0.0/',
  isBeyondSpecification: true,
  takesKey: true,
  title: 'A probe',
  description: 'Costs < 1 & does nothing.',
  refusals: [],
  example: { request: {}, result: {}, message: '' },
} as const

const signIn = defineContract({
  ...facts,
  path: 'SignIn',
  resultKey: 'SignInResult',
  access: 'open',
  load: 'sign-in',
  request: Type.Object({ AcctCode: Type.String(), Token: Type.String() }),
  result: Type.Object({
    SessKey: Type.String(),
    MerchantList: Type.Array(merchant),
    ThisUser: orNull(Type.Object({ Alias: Type.String(), IsExpired: Type.Boolean() })),
  }),
  fromWire: (body) => ok(body),
  toWire: () => ({ message: '', members: { SessKey: key, MerchantList: [], ThisUser: null } }),
  refusedToWire: () => ({ SessKey: '', MerchantList: [], ThisUser: null }),
})

const charge = defineContract({
  ...facts,
  path: 'Probe/Charge',
  resultKey: 'Probe_ChargeResult',
  access: 'session',
  load: 'money',
  request: Type.Object({
    ConsentID: WireId('The consent.'),
    Amounts: amounts,
    SchedIDs: Type.Array(Type.Integer()),
    Questions: Type.Optional(Type.Array(Type.Object({ Question: Type.String(), Answer: Type.String() }))),
    IsTest: Type.Boolean(),
    Note: orNull(Type.String()),
    User: Type.Optional(Type.String()),
  }),
  result: Type.Object({ TxID: Type.Integer(), ApprovedAmounts: amounts, Emv: orNull(Type.String()) }),
  fromWire: (body) => ok(body),
  toWire: () => ({ message: '', members: { TxID: 1, ApprovedAmounts: { BaseAmt: 1 }, Emv: null } }),
  refusedToWire: () => ({ TxID: 0, ApprovedAmounts: { BaseAmt: 0 }, Emv: null }),
})

const operations: readonly Operation<Context>[] = [
  serve(signIn, async () => ok(null)),
  serve(charge, async () => ok(null)),
]

const signInResult = {
  SessKey: key,
  MerchantList: [
    { ID: 1, Descrip: 'Café <1> & more' },
    { ID: 2, Descrip: '' },
  ],
  ThisUser: null,
}
const chargeResult = { TxID: 57, ApprovedAmounts: { BaseAmt: 10.1, Surcharge: 0.3 }, Emv: null }

async function startService(context: TestContext) {
  const app = Fastify()
  context.after(() => app.close())
  const calls: unknown[] = []
  registerSoap(app, {
    operations,
    baseUrl: () => 'http://gateway.invalid/',
    context: { log: pino({ enabled: false }) },
    callOperation: async ({ contract }, { body, sessionKey }) => {
      calls.push({ path: contract.path, body, sessionKey: sessionKey?.reveal() ?? null })
      const found = contract.access === 'open' ? signInResult : chargeResult
      return { error: null, result: { ...doneEnvelope('done'), ...found }, notes: {} }
    },
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { calls, endpoint: `${address}/APIcardProcService/CardProcAPI.svc` }
}

type Method = (parameters: object) => Promise<[Record<string, object>]>

async function callBy(client: Client, name: string, parameters: object): Promise<object | undefined> {
  const method = client[`${name}Async`] as Method
  const [response] = await method(parameters)
  return response[`${name}Result`]
}

const credentials = { AcctCode: 'AB1234567', Token: 'a&b' }
const questions = [
  { Question: 'a?', Answer: 'b' },
  { Question: 'c?', Answer: '' },
]
const members = { ConsentID: 7, Amounts: { BaseAmt: '10.10' }, IsTest: true }

for (const [version, forceSoap12Headers] of [
  ['1.1', false],
  ['1.2', true],
] as const) {
  test(`a client made from the WSDL calls by SOAP ${version}`, async (context) => {
    const { calls, endpoint } = await startService(context)
    const options = { forceSoap12Headers, endpoint, handleNilAsNull: true }
    const client = await createClientAsync(`${endpoint}?wsdl`, options)

    const signedIn = await callBy(client, 'SignIn', credentials)
    const charged = await callBy(client, 'Probe_Charge', {
      ...members,
      SessKey: key,
      SchedIDs: { long: [1, 2, 3] },
      Questions: { item: questions },
      Note: null,
      IdempotencyKey: 'key-1',
    })

    const envelope = doneEnvelope('done')
    const { MerchantList, ...others } = signInResult
    assert.deepEqual(signedIn, { ...envelope, ...others, MerchantList: { Merchant: MerchantList } })
    assert.deepEqual(charged, { ...envelope, ...chargeResult })
    const body = { ...members, SchedIDs: [1, 2, 3], Questions: questions }
    assert.deepEqual(calls, [
      { path: 'SignIn', body: credentials, sessionKey: null },
      { path: 'Probe/Charge', body, sessionKey: key },
    ])
    const contentType = String(client.lastResponseHeaders?.['content-type'])
    assert.match(contentType, version === '1.1' ? /^text\/xml/ : /^application\/soap\+xml/)
  })
}

const wsdl = writeWsdl([signIn, charge], 'https://pay.example/')

test('the WSDL is well-formed and carries the texts of the contracts', () => {
  assert(readXml(wsdl).ok)
  assert(wsdl.includes('<wsdl:documentation>A probe. Costs &lt; 1 &amp; does nothing.</wsdl:documentation>'))
})

const pieces: readonly [string, string][] = [
  ['the address of the service', 'location="https://pay.example/APIcardProcService/CardProcAPI.svc"'],
  ['the action', 'soapAction="urn:tillgate:cardproc:v1/ICardProcess/Probe_Charge"'],
  [
    'the session key first',
    '<xs:element name="Probe_Charge"><xs:complexType><xs:sequence><xs:element name="SessKey"',
  ],
  [
    'no session key for open operations',
    '<xs:element name="SignIn"><xs:complexType><xs:sequence><xs:element name="AcctCode"',
  ],
  ['the idempotency key', '<xs:element name="IdempotencyKey" type="xs:string" minOccurs="0"/>'],
  ['what may be null', '<xs:element name="Note" type="xs:string" nillable="true"/>'],
  ['what may be absent', '<xs:element name="User" type="xs:string" minOccurs="0"/>'],
  ['the items of a list', '<xs:element name="long" type="xs:long" minOccurs="0" maxOccurs="unbounded"/>'],
  ['an object by its title', '<xs:complexType name="Merchant">'],
  ['a list by its items', '<xs:element name="MerchantList" type="tns:ArrayOfMerchant"/>'],
  ['an object by its position', '<xs:complexType name="SignInResult_ThisUser">'],
]

for (const [what, piece] of pieces) {
  test(`the WSDL names ${what}`, () => assert(wsdl.includes(piece), wsdl))
}

test('the WSDL defines an object once that several operations share', () => {
  const definitions = wsdl.match(/<xs:complexType name="\w+"><xs:sequence><xs:element name="BaseAmt"/g)
  assert.equal(definitions?.length, 1)
})

test('the WSDL tells different objects of one title apart', () => {
  const other = Type.Object({ Name: Type.String() }, { title: 'Merchant' })
  const contract = { ...signIn, resultKey: 'OtherResult', result: Type.Object({ Merchant: other }) }
  assert(writeWsdl([signIn, contract], '').includes('<xs:element name="Merchant" type="tns:Merchant2"/>'))
})
