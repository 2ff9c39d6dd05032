import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { processDuePaymentsContract } from '#capabilities/collection/process-due-payments.contract.ts'
import { processSelectedPaymentsContract } from '#capabilities/collection/process-selected-payments.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { servicePath, targetNamespace } from '#transport/soap/soap-operation.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { type Answered, readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

describe('the idempotency key of', () => {
  const gateway = useGateway()
  let SessKey = ''
  before(async () => {
    SessKey = await gateway().signIn()
  })

  const send = ({ prefix, path }: ContractFacts, body: object, key?: string): Promise<HttpAnswer> =>
    gateway().post(prefix + path, body, { SessKey, ...(key && { 'Idempotency-Key': key }) })

  async function sendBySoap(contract: ContractFacts, body: object): Promise<HttpAnswer> {
    const name = contract.resultKey.replace(/Result$/, '')
    const call = `<${name} xmlns="${targetNamespace}">${xmlOf({ SessKey, ...body })}</${name}>`
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
    const envelope = `<s:Envelope xmlns:s="${soap}"><s:Body>${call}</s:Body></s:Envelope>`
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return gateway().send({ method: 'POST', path: servicePath, headers, body: envelope })
  }

  const fresh = (contract: ContractFacts) => freshBody(gateway(), SessKey, contract)

  for (const contract of [processDuePaymentsContract, processSelectedPaymentsContract]) {
    const key = contract.resultKey

    test(`${contract.path} brings its answer again, as a header and as a member of the body`, async () => {
      const body = await fresh(contract)
      const first = await send(contract, body, key)
      assert.deepEqual([first.status, resultOf(contract, first)['NumApproved']], [200, 1])
      assert.equal(first.headers['idempotent-replayed'], undefined)
      for (const again of [
        await send(contract, body, key),
        await send(contract, { ...body, IdempotencyKey: key }),
        await send(contract, { ...body, idempotencyKey: key }, key),
      ])
        assert.deepEqual(
          [again.status, again.text, again.headers['idempotent-replayed']],
          [200, first.text, 'true'],
        )
    })

    test(`${contract.path} is the same over SOAP`, async () => {
      const body = await fresh(contract)
      const IdempotencyKey = `soap-${key}`
      const first = await sendBySoap(contract, { ...body, IdempotencyKey })
      assert.match(first.text, /<NumApproved>1</)
      assert.equal((await sendBySoap(contract, { ...body, IdempotencyKey })).text, first.text)
      const overRest = await send(contract, body, IdempotencyKey)
      assert.equal(overRest.headers['idempotent-replayed'], 'true')
      const [, transaction] = /<TxID>(\d+)</.exec(first.text) ?? []
      assert.match(overRest.text, new RegExp(`"TxID":${transaction},`))
    })

    test(`${contract.path} is refused with another request`, async () => {
      const body = await fresh(contract)
      assert.equal(resultOf(contract, await send(contract, body, `other-${key}`))['NumApproved'], 1)
      const others = [{ MerchID: 2 }, { SchedIDs: [1] }]
      const other = others.find((one) => Object.keys(one).every((name) => name in body))
      assert.ok(other)
      const answer = await send(contract, other, `other-${key}`)
      assert.deepEqual([answer.status, resultOf(contract, answer).ErrCode], [422, 4221])
    })
  }
})

function resultOf({ resultKey }: ContractFacts, answer: HttpAnswer): Answered {
  return readAnswer(answer, resultKey)
}

function xmlOf(members: object): string {
  const parts = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const inner = Array.isArray(value) ? value.map((item) => `<long>${item}</long>`).join('') : String(value)
    return `<${name}>${inner}</${name}>`
  })
  return parts.join('')
}
