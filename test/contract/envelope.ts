import assert from 'node:assert/strict'
import type { HttpAnswer } from '../support/in-process-gateway.ts'

export type Answered = {
  readonly FunctionOk: boolean
  readonly ErrCode: number
  readonly ErrMsg: string
  readonly RespMsg: string
  readonly [member: string]: unknown
}

// What an answer would show of our machine room: stacks, files, SQL and the driver's words.
export const machineRoom =
  /\n\s+at |\.[cm]?[jt]s\b|node_modules|pg_|\b(?:select|insert|update|delete)\b.*\b(?:from|into|set)\b/is

// Reads an answer as an integrator does, and holds it to what every answer has: one result key, the
// envelope, an id.
export function readAnswer(answer: HttpAnswer, resultKey: string): Answered {
  assert.match(String(answer.headers['request-id']), /^req_[a-z]+$/, 'every answer has a Request-Id')
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.doesNotMatch(answer.text, machineRoom)
  return readEnvelope(answer.text, resultKey)
}

export function readEnvelope(text: string, resultKey: string): Answered {
  const body: Readonly<Record<string, Answered>> = JSON.parse(text)
  assert.deepEqual(Object.keys(body), [resultKey])
  const result = body[resultKey]
  assert(result, text)
  assertEnvelope(result)
  return result
}

// Answers of Authenticate, which did its work.
const failedSignIns = new Set([5001, 5002, 5003, 5020])

export function assertEnvelope({ FunctionOk, ErrCode, ErrMsg, RespMsg }: Answered): void {
  const types = [typeof FunctionOk, typeof ErrCode, typeof ErrMsg, typeof RespMsg]
  assert.deepEqual(types, ['boolean', 'number', 'string', 'string'])
  assert(Number.isInteger(ErrCode))
  assert.equal(FunctionOk, ErrCode === 0 || failedSignIns.has(ErrCode))
  if (ErrCode === 0) return assert.equal(ErrMsg, '')
  const parts = /^ERROR:(\d+):(LOW|MEDIUM|HIGH):(.+)$/s.exec(ErrMsg)
  assert(parts, ErrMsg)
  assert.equal(Number(parts[1]), ErrCode)
  assert.equal(parts[3], RespMsg)
}
