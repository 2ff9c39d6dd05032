import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

// The specification names these three by a literal path, and gives each a SessKey of its own.
const literal = operations.flatMap(({ contract }) =>
  contract.literalPath === undefined ? [] : [{ contract, path: contract.literalPath }],
)

describe('recurring consents', () => {
  const gateway = useGateway()

  test('are reachable by the paths of the specification', () => {
    assert.deepEqual(
      literal.map(({ path }) => path),
      ['Create', 'Modify', 'Cancel'].map((verb) => `/ICardProcess/ConsentRecurring_${verb}`),
    )
  })

  for (const { contract, path } of literal) {
    for (const where of [path, contract.prefix + contract.path]) {
      test(`${where} takes the session key as a member of the body`, async () => {
        const SessKey = await gateway().signIn()
        const body = { ...(await freshBody(gateway(), SessKey, contract)), SessKey }
        const answer = readAnswer(await gateway().post(where, body), contract.resultKey)
        assert.equal(answer.ErrCode, 0, answer.ErrMsg)
      })

      test(`${where} takes it as a header`, async () => {
        const SessKey = await gateway().signIn()
        const body = await freshBody(gateway(), SessKey, contract)
        const answer = readAnswer(await gateway().post(where, body, { SessKey }), contract.resultKey)
        assert.equal(answer.ErrCode, 0, answer.ErrMsg)
      })
    }

    test(`${path} without a session key, or with a wrong header, is told to sign in`, async () => {
      const SessKey = await gateway().signIn()
      const none = readAnswer(await gateway().post(path, {}), contract.resultKey)
      const wrong = readAnswer(
        await gateway().post(path, { SessKey }, { SessKey: 'abc' }),
        contract.resultKey,
      )
      assert.deepEqual([none.ErrCode, wrong.ErrCode], [5030, 5030])
    })
  }

  test('no other operation takes the key from the body', async () => {
    const SessKey = await gateway().signIn()
    const path = '/APIcardProcREST/v1.0.0/Session/Query'
    const answer = readAnswer(await gateway().post(path, { SessKey }), 'Session_QueryResult')
    assert.equal(answer.ErrCode, 5030)
  })
})
