import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { restPrefixes } from '#transport/rest/rest-routes.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { type Answered, readAnswer } from './envelope.ts'

const contracts = operations.map(({ contract }) => contract)
const sessionContracts = contracts.filter(({ access }) => access === 'session')

describe('the list of operations', () => {
  for (const contract of contracts) {
    test(`${contract.path} shows a request and a result that its own schemas accept`, () => {
      const read = requestReader(contract.request)(contract.example.request)
      assert(read.ok)
      assert.deepEqual(read.value, contract.example.request)
      assert.deepEqual([...Compile(contract.result).Errors(contract.example.result)], [])
      assert.deepEqual(Object.keys(contract.example.result), Object.keys(contract.result.properties))
    })

    test(`${contract.path} answers a refused call with members that its result schema accepts`, () => {
      const operation = operations.find((one) => one.contract === contract)
      assert.deepEqual([...Compile(contract.result).Errors(operation?.refusedMembers())], [])
    })

    test(`${contract.path} keeps the names of the envelope for the envelope`, () => {
      const members = Object.keys(contract.result.properties)
      const envelope = ['FunctionOk', 'ErrCode', 'ErrMsg', 'RespMsg']
      assert.deepEqual(
        members.filter((member) => envelope.includes(member)),
        [],
      )
    })
  }

  const named: readonly [string, (contract: ContractFacts) => string][] = [
    ['path', ({ path }) => path.toLowerCase()],
    ['result key', ({ resultKey }) => resultKey.toLowerCase()],
    ['title', ({ title }) => title],
  ]
  for (const [what, nameOf] of named) {
    test(`every operation has a ${what} of its own`, () => {
      const names = contracts.map(nameOf)
      assert.deepEqual(names, [...new Set(names)])
    })
  }

  test('a result key ends with Result, because the SOAP operation is named by the rest', () => {
    for (const { resultKey } of contracts) assert.match(resultKey, /^\w+Result$/)
  })
})

describe('every operation over HTTP', () => {
  const gateway = useGateway()

  for (const contract of contracts) {
    for (const prefix of restPrefixes) {
      test(`${prefix}${contract.path} answers under ${contract.resultKey}`, async () => {
        const sessionKey = await gateway().signIn()
        const answer = await gateway().post(prefix + contract.path, contract.example.request, {
          SessKey: sessionKey,
        })
        assert.equal(answer.status, 200)
        assertMembers(contract, readAnswer(answer, contract.resultKey))
      })
    }
  }

  for (const contract of sessionContracts) {
    test(`${contract.path} works with the session key that Authenticate gave`, async () => {
      const headers = { SessKey: await gateway().signIn() }
      const answer = await gateway().post(contract.prefix + contract.path, contract.example.request, headers)
      assert.notEqual(readAnswer(answer, contract.resultKey).ErrCode, 5030)
    })
  }
})

const wrongKeys: readonly [string, Readonly<Record<string, string>>][] = [
  ['without a session key', {}],
  ['with an empty session key', { SessKey: '' }],
  ['with a session key of another form', { SessKey: 'abc' }],
  ['with a session key one character short', { SessKey: '0123456789abcdef'.repeat(4).slice(1) }],
  ['with a session key that nobody was given', { SessKey: '0123456789abcdef'.repeat(4) }],
]

for (const [style, status] of [
  ['family', 200],
  ['strict', 401],
] as const) {
  describe(`session keys with TILLGATE_HTTP_STATUS=${style}`, () => {
    const gateway = useGateway({ TILLGATE_HTTP_STATUS: style })

    for (const contract of sessionContracts) {
      for (const [what, headers] of wrongKeys) {
        test(`${contract.path} ${what} is told to sign in, with HTTP ${status}`, async () => {
          const answer = await gateway().post(contract.prefix + contract.path, {}, headers)
          assert.equal(answer.status, status)
          assertToldToSignIn(contract, readAnswer(answer, contract.resultKey))
        })
      }

      test(`${contract.path} with the key of an ended session is told to sign in`, async () => {
        const headers = { SessKey: await endedSession(gateway()) }
        const answer = await gateway().post(contract.prefix + contract.path, {}, headers)
        assert.equal(answer.status, status)
        assertToldToSignIn(contract, readAnswer(answer, contract.resultKey))
      })
    }

    test(`a failed Authenticate answers HTTP ${status}`, async () => {
      const [contract] = contracts.filter(({ path }) => path === 'Authenticate')
      assert(contract)
      const body = { AcctCode: 'ZZ0000000', Token: '0'.repeat(32) }
      const answer = await gateway().post(contract.prefix + contract.path, body)
      assert.equal(answer.status, status)
      const text = 'The account code or the token is wrong'
      assert.deepEqual(readAnswer(answer, contract.resultKey), {
        FunctionOk: true,
        ErrCode: 5001,
        ErrMsg: `ERROR:5001:MEDIUM:${text}`,
        RespMsg: text,
        AuthSuccess: false,
        SessKey: '',
        MerchantList: [],
        ThisUser: null,
      })
    })
  })
}

async function endedSession({ signIn, post }: TestGateway): Promise<string> {
  const sessionKey = await signIn()
  const answer = await post('/APIcardProcREST/v1.0.0/Session/End', {}, { SessKey: sessionKey })
  assert.equal(readAnswer(answer, 'Session_EndResult').FunctionOk, true)
  return sessionKey
}

function assertToldToSignIn(contract: ContractFacts, result: Answered): void {
  assert.equal(result.ErrCode, 5030)
  assert.equal(result.RespMsg, 'The session key is missing, unknown or expired')
  assertMembers(contract, result)
}

// All members of the result are there, refused or not, and of the documented types.
function assertMembers({ result }: ContractFacts, answered: Answered): void {
  const envelope = new Set(['FunctionOk', 'ErrCode', 'ErrMsg', 'RespMsg'])
  const members = Object.entries(answered).filter(([name]) => !envelope.has(name))
  assert.deepEqual(members.map(([name]) => name).toSorted(), Object.keys(result.properties).toSorted())
  assert.deepEqual([...Compile(result).Errors(Object.fromEntries(members))], [])
}
