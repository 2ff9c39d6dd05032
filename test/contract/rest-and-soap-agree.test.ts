import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Client, createClientAsync } from 'soap'
import { type TSchema, Type } from 'typebox'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { itemName, shapeOf } from '#transport/soap/schema-shape.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { type Answered, assertEnvelope, readAnswer } from './envelope.ts'
import { freshBody, steady } from './fresh-call.ts'

// node-soap knows nothing of our code: it reads our WSDL over HTTP and makes its calls from that.

type Call = { readonly sessionKey: string | null; readonly body: Readonly<Record<string, unknown>> }
type Case = {
  readonly what: string
  readonly code: number
  // Made anew for each face: a call that succeeds may end its session, or use up what it is about.
  readonly make: (gateway: TestGateway) => Promise<Call>
}

const faces = [
  { version: '1.1', port: 'CardProcSoap11', namespace: 'http://schemas.xmlsoap.org/soap/envelope/' },
  { version: '1.2', port: 'CardProcSoap12', namespace: 'http://www.w3.org/2003/05/soap-envelope' },
] as const
type Face = (typeof faces)[number]

const unknownKey = '0123456789abcdef'.repeat(4)

const signInCases: readonly Case[] = [
  {
    what: 'the right credentials',
    code: 0,
    make: async ({ accountCode, token }) => signInWith(accountCode, token),
  },
  {
    what: 'blanks around the right credentials',
    code: 0,
    make: async ({ accountCode, token }) => signInWith(` ${accountCode} `, `${token} `),
  },
  { what: 'an unknown account', code: 5001, make: async () => signInWith('ZZ0000000', '0'.repeat(32)) },
  { what: 'a wrong token', code: 5001, make: async (own) => signInWith(own.accountCode, '0'.repeat(32)) },
  { what: 'an empty account code', code: 4003, make: async () => signInWith('', '0') },
  { what: 'a token of 76 letters', code: 4003, make: async () => signInWith('ZZ0000000', 'é'.repeat(76)) },
  { what: 'a line feed in the token', code: 7123, make: async () => signInWith('ZZ0000000', 'a\nb') },
  { what: 'marks that XML uses itself', code: 5001, make: async () => signInWith('<&>"\'', ']]>') },
  { what: 'letters of other languages', code: 5001, make: async () => signInWith('Größe 価格 👍', 'ß') },
]

describe('REST and SOAP', () => {
  const gateway = useGateway()
  const clients = new Map<Face, Client>()

  before(async () => {
    const wsdl = `${gateway().baseUrl}/APIcardProcService/CardProcAPI.svc?wsdl`
    for (const face of faces) {
      const options = { forceSoap12Headers: face.version === '1.2', disableCache: true }
      clients.set(face, await createClientAsync(wsdl, options))
    }
  })

  test('the client finds every operation in the WSDL, under both versions', () => {
    const names = operations.map(({ contract }) => nameOf(contract)).toSorted()
    for (const face of faces) {
      const described: { CardProcAPI: Record<string, object> } = clients.get(face)?.describe()
      assert.deepEqual(Object.keys(described.CardProcAPI[face.port] ?? {}).toSorted(), names)
    }
  })

  for (const { contract } of operations) {
    for (const { what, code, make } of casesOf(contract)) {
      test(`${contract.path} with ${what} answers the same over both versions of SOAP`, async () => {
        const rest = await callRest(gateway(), contract, await make(gateway()))
        assert.equal(rest.ErrCode, code)
        for (const face of faces) {
          const client = clients.get(face)
          assert(client)
          const soap = await callSoap(client, face, { contract, call: await make(gateway()) })
          assertEnvelope(soap)
          assert.deepEqual(steady(soap), steady(rest), `over SOAP ${face.version}`)
        }
      })
    }
  }
})

const sessions = new WeakMap<TestGateway, Promise<string>>()

function sharedSession(gateway: TestGateway): Promise<string> {
  const session = sessions.get(gateway) ?? gateway.signIn()
  sessions.set(gateway, session)
  return session
}

function casesOf(contract: ContractFacts): readonly Case[] {
  const isOpen = contract.access === 'open'
  const example: Call['body'] = { ...contract.example.request }
  // What cannot be read ends no session, so one does for all.
  const call = (body: Call['body']) => async (gateway: TestGateway) => ({
    sessionKey: isOpen ? null : await sharedSession(gateway),
    body,
  })
  const fresh = async (gateway: TestGateway) => {
    const sessionKey = await gateway.signIn()
    return { sessionKey, body: await freshBody(gateway, sessionKey, contract) }
  }
  const withKey = (sessionKey: string | null) => async () => ({ sessionKey, body: example })
  const members = Object.entries<TSchema>(contract.request.properties)
  const required: readonly string[] =
    'required' in contract.request ? [contract.request.required].flat().map(String) : []
  return [
    ...(contract.path === 'Authenticate' ? signInCases : [{ what: 'all it needs', code: 0, make: fresh }]),
    ...required.flatMap((name) => [
      { what: `no ${name}`, code: 4002, make: call(without(example, name)) },
      { what: `null for ${name}`, code: 4002, make: call({ ...example, [name]: null }) },
    ]),
    ...members.map(([name, schema]) => ({
      what: `${name} of the wrong type`,
      code: 4001,
      make: call({ ...example, [name]: wrongFor(schema) }),
    })),
    ...(isOpen
      ? []
      : [
          { what: 'no session key', code: 5030, make: withKey(null) },
          { what: 'a session key of another form', code: 5030, make: withKey('abc') },
          { what: 'an unknown session key', code: 5030, make: withKey(unknownKey) },
        ]),
  ]
}

function signInWith(AcctCode: string, Token: string): Call {
  return { sessionKey: null, body: { AcctCode, Token } }
}

function without(body: Call['body'], name: string): Call['body'] {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}

// A value that neither JSON nor XML can pass off as one of the schema.
function wrongFor(schema: TSchema): unknown {
  const { kind } = shapeOf(schema)
  return kind === 'text' || kind === 'number-or-text' ? { Shoe: 'x' } : 'shoe'
}

function nameOf({ resultKey }: ContractFacts): string {
  return resultKey.replace(/Result$/, '')
}

async function callRest({ post }: TestGateway, contract: ContractFacts, { sessionKey, body }: Call) {
  const headers = sessionKey === null ? {} : { SessKey: sessionKey }
  return readAnswer(await post(contract.prefix + contract.path, body, headers), contract.resultKey)
}

type Asked = { readonly contract: ContractFacts; readonly call: Call }

function callSoap(client: Client, face: Face, { contract, call }: Asked): Promise<Answered> {
  const { sessionKey, body } = call
  const members = Object.entries(body).map(([name, value]) => [name, wrapped(contract, name, value)])
  const parameters = {
    ...(sessionKey === null ? {} : { SessKey: sessionKey }),
    ...Object.fromEntries(members),
  }
  const operation = client['CardProcAPI'][face.port][nameOf(contract)]
  return new Promise((resolve, reject) => {
    operation(
      parameters,
      (error: unknown, answer: Record<string, object>, received: string, _: unknown, sent: string) => {
        if (error) return reject(error)
        assert(
          sent.includes(face.namespace) && received.includes(face.namespace),
          'the version is spoken both ways',
        )
        resolve(answerFromSoap(contract, answer[contract.resultKey] ?? {}))
      },
    )
  })
}

// A list is an element with one element for each item, named by what it is.
function wrapped({ request }: ContractFacts, name: string, value: unknown): unknown {
  const member = request.properties[name]
  const shape = member && shapeOf(member)
  return shape?.kind === 'list' && Array.isArray(value) ? { [itemName(shape.items)]: value } : value
}

function answerFromSoap({ result }: ContractFacts, answered: object): Answered {
  const members = new Map<string, unknown>(Object.entries(answered))
  const text = (name: string) => valueFromSoap(members.get(name), Type.String()) as string
  const own = Object.entries<TSchema>(result.properties).map(([name, schema]) => [
    name,
    valueFromSoap(members.get(name), schema),
  ])
  return {
    FunctionOk: members.get('FunctionOk') === true,
    ErrCode: Number(members.get('ErrCode')),
    ErrMsg: text('ErrMsg'),
    RespMsg: text('RespMsg'),
    ...Object.fromEntries(own),
  }
}

// Undoes what XML and this client do to values: a list is wrapped, and an empty element is null, whatever
// its type.
function valueFromSoap(value: unknown, schema: TSchema): unknown {
  const shape = shapeOf(schema)
  if (shape.kind === 'list') {
    const items: unknown[] = Object.values(value ?? {}).flat()
    return items.map((item) => valueFromSoap(item, shape.items))
  }
  if (value === null || value === undefined) return shape.kind === 'text' && !isNullable(schema) ? '' : null
  if (shape.kind !== 'object') return value
  const members = new Map<string, unknown>(Object.entries(value))
  return Object.fromEntries(
    Object.entries(shape.schema.properties).map(([name, inner]) => [
      name,
      valueFromSoap(members.get(name), inner),
    ]),
  )
}

function isNullable(schema: TSchema): boolean {
  return 'anyOf' in schema
}
