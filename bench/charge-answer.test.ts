import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerReader, errorCodeOf, transactionOf } from './charge-answer.ts'
import { ChargeRequest } from './charge-request.ts'

const body = '{"R":{"FunctionOk":true,"ErrCode":0,"TxApproved":true,"TxID":57}}'
const whole = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)

test('an answer is read whole, wherever the network cuts it', () => {
  for (let cut = 1; cut < whole.length; cut++) {
    const reader = new AnswerReader()
    assert.equal(reader.read(whole.subarray(0, cut)), null)
    const answer = reader.read(whole.subarray(cut))
    assert.ok(answer)
    assert.deepEqual([answer.status, answer.isApproved, answer.isDone], [200, true, true])
    assert.equal(transactionOf(answer), '57')
    assert.equal(errorCodeOf(answer), 0)
  }
})

test('a request that is written over is a whole request again', () => {
  const request = new ChargeRequest({ path: '/charge', feeMinor: 30 })
  for (const [consent, baseMinor] of [
    [7, 100],
    [1_000_000, 4_999],
  ] as const) {
    const bytes = request.write({ consent, baseMinor, sessionKey: 'a'.repeat(64), key: `k-${consent}-` })
    const [head = '', sent = ''] = bytes.toString('latin1').split('\r\n\r\n')
    assert.equal(Number(/Content-Length: (\d+)/.exec(head)?.[1]), sent.length)
    const { ConsentID, Amounts } = JSON.parse(sent)
    assert.equal(ConsentID, consent)
    assert.deepEqual(Amounts, {
      BaseAmt: baseMinor / 100,
      Surcharge: 0.3,
      TotalAmt: (baseMinor + 30) / 100,
    })
  }
})
