import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { servicePath, targetNamespace } from '#transport/soap/soap-operation.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { type Answered, readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'
import { withClient } from '../support/with-client.ts'

const charging: readonly ContractFacts[] = [
  chargeCardContract,
  chargeStoredCardContract,
  chargeBankAccountContract,
]

describe('where the merchant record asks for it', () => {
  const gateway = useGateway()
  let SessKey = ''
  before(async () => {
    await watch(3_600)
    SessKey = await gateway().signIn()
  })

  async function watch(seconds: number): Promise<void> {
    await withClient({ connectionString: gateway().databaseUrl }, (client) =>
      client.query('update merchant set look_alike_seconds = $1', [seconds]),
    )
  }

  const send = ({ prefix, path }: ContractFacts, body: object, key?: string): Promise<HttpAnswer> =>
    gateway().post(prefix + path, body, { SessKey, ...(key && { 'Idempotency-Key': key }) })

  async function sendBySoap({ resultKey }: ContractFacts, body: object): Promise<HttpAnswer> {
    const name = resultKey.replace(/Result$/, '')
    const call = `<${name} xmlns="${targetNamespace}">${xmlOf({ SessKey, ...body })}</${name}>`
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
    const envelope = `<s:Envelope xmlns:s="${soap}"><s:Body>${call}</s:Body></s:Envelope>`
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return gateway().send({ method: 'POST', path: servicePath, headers, body: envelope })
  }

  // A body that can be charged, with a reference that nobody else has.
  async function bodyOf(contract: ContractFacts, reference: string): Promise<object> {
    const body = await freshBody(gateway(), SessKey, contract)
    const member = 'purchDetails' in body ? 'purchDetails' : 'PurchItems'
    return { ...body, [member]: { ClientRefID: `${contract.path} ${reference}` } }
  }

  for (const contract of charging) {
    const { path } = contract
    const resultOf = (answer: HttpAnswer): Answered => readAnswer(answer, contract.resultKey)

    test(`${path} without a key hears of the earlier one, over REST and SOAP`, async () => {
      const body = await bodyOf(contract, 'no key')
      const first = resultOf(await send(contract, body))
      assert.equal(first['TxApproved'], true)
      const second = await send(contract, body)
      const { FunctionOk, ErrCode, ErrMsg, TxID, TxApproved } = resultOf(second)
      assert.deepEqual(
        [second.status, FunctionOk, ErrCode, TxID, TxApproved],
        [200, false, 6705, first['TxID'], false],
      )
      const text = `DUPLICATE of transaction ${TxID}, which was approved with code`
      assert(ErrMsg.startsWith(`ERROR:6705:LOW:${text} `), ErrMsg)
      const third = await sendBySoap(contract, body)
      assert.equal(third.status, 200)
      for (const part of ['<ErrCode>6705</ErrCode>', `<TxID>${TxID}</TxID>`, text])
        assert(third.text.includes(part), third.text)
    })

    test(`${path} with a key is told again, and never as a look-alike of itself`, async () => {
      const body = await bodyOf(contract, 'same key')
      const first = await send(contract, body, `${path}-same`)
      const second = await send(contract, body, `${path}-same`)
      assert.deepEqual([second.status, second.text], [200, first.text])
      assert.equal(second.headers['idempotent-replayed'], 'true')
      const bySoap = await sendBySoap(contract, { ...body, IdempotencyKey: `${path}-same` })
      assert(bySoap.text.includes(`<TxID>${resultOf(first)['TxID']}</TxID>`), bySoap.text)
      assert(bySoap.text.includes('<TxApproved>true</TxApproved>'), bySoap.text)
    })

    test(`${path} with a key at the same moment is charged once, and is no look-alike`, async () => {
      const body = await bodyOf(contract, 'at once')
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => send(contract, body, `${path}-at-once`)),
      )
      const told = answers.map((answer) => resultOf(answer))
      assert(told.some(({ ErrCode }) => ErrCode === 0))
      assert(told.every(({ ErrCode }) => ErrCode === 0 || ErrCode === 4091))
      assert.equal(new Set(told.map(({ TxID }) => TxID)).size, 1)
    })
  }

  test('a look-alike does not use its key up: once the earlier one is voided the key charges', async () => {
    const body = await bodyOf(chargeCardContract, 'other key')
    const { resultKey } = chargeCardContract
    const { TxID } = readAnswer(await send(chargeCardContract, body, 'first-key'), resultKey)
    for (let round = 0; round < 2; round++) {
      const refused = await send(chargeCardContract, body, 'second-key')
      const told = readAnswer(refused, resultKey)
      assert.deepEqual([refused.status, told.ErrCode, told['TxID']], [200, 6705, TxID])
      assert.equal(refused.headers['idempotent-replayed'], undefined)
    }
    const undone = readAnswer(await send(voidSaleContract, { TxID }), voidSaleContract.resultKey)
    assert.equal(undone['TxApproved'], true)
    const charged = readAnswer(await send(chargeCardContract, body, 'second-key'), resultKey)
    assert.equal(charged['TxApproved'], true)
    assert.notEqual(charged['TxID'], TxID)
    const again = readAnswer(await send(chargeCardContract, body, 'first-key'), resultKey)
    assert.equal(again['TxID'], TxID)
  })

  test('no longer: a gateway that has seen the setting hears that it is off', async () => {
    const body = await bodyOf(chargeCardContract, 'off')
    await send(chargeCardContract, body)
    await watch(0)
    let told: Answered
    do told = readAnswer(await send(chargeCardContract, body), chargeCardContract.resultKey)
    while (told.ErrCode === 6705)
    assert.equal(told['TxApproved'], true)
  })
})

function xmlOf(members: object): string {
  const parts = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? xmlOf(value) : String(value)
    return `<${name}>${inner}</${name}>`
  })
  return parts.join('')
}
