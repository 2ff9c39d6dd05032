import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doneEnvelope, refusedEnvelope, sampleErrorText } from '#capabilities/wire/envelope.ts'
import { errorCodes, errorNames } from '#capabilities/wire/error-codes.ts'
import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

test('success has code 0 and no error text', () => {
  assert.deepEqual(doneEnvelope('Done'), { FunctionOk: true, ErrCode: 0, ErrMsg: '', RespMsg: 'Done' })
})

test('a refusal has FunctionOk false, its number, its severity and its sentence', () => {
  const refusal = { kind: 'merchant_not_found', details: { merchant: 9 } } as const
  assert.deepEqual(refusedEnvelope(refusal), {
    FunctionOk: false,
    ErrCode: 6001,
    ErrMsg: 'ERROR:6001:LOW:There is no merchant record 9',
    RespMsg: 'There is no merchant record 9',
  })
})

test('a failed sign-in has FunctionOk true, its number, its severity and its sentence', () => {
  const refusal = { kind: 'token_expired', details: { expiredOn: '2029-01-15' } } as const
  assert.deepEqual(refusedEnvelope(refusal), {
    FunctionOk: true,
    ErrCode: 5002,
    ErrMsg: 'ERROR:5002:MEDIUM:The token expired on 2029-01-15',
    RespMsg: 'The token expired on 2029-01-15',
  })
  const answers = errorNames.filter((name) => refusedEnvelope({ kind: name, details: {} }).FunctionOk)
  assert.deepEqual(answers, ['wrong_credentials', 'token_expired', 'account_closed', 'locked_out'])
})

test('no two errors share a number', () => {
  const codes = errorNames.map((name) => errorCodes[name].code)
  assert.equal(new Set<number>(codes).size, codes.length)
})

for (const name of errorNames) {
  test(`the error ${name} says its cause and what to do about it, with a sample that has no blanks`, () => {
    const { text, cause, remedy }: ErrorEntry = errorCodes[name]
    for (const sentence of [text, cause, remedy]) assert.ok(sentence.length > 8, sentence)
    assert.doesNotMatch(sampleErrorText(name), /\{|undefined|: *$/)
  })
}
