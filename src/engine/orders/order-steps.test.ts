import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeBy } from '#engine/orders/order-steps.ts'
import { type Attempt, attemptId, type AttemptKind, type AttemptState } from '#engine/payments/attempt.ts'
import { currencyCode } from '#kernel/currency.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'

function attemptOf(kind: AttemptKind, state: AttemptState, resultCode: string): Attempt {
  const currency = currencyCode('EUR')
  assert(currency)
  const money = (minor: bigint) => ({ minor, currency })
  const amounts = { base: money(500n), fee: money(0n), total: money(500n) }
  return {
    attemptId: attemptId(1n),
    accountId: accountId(1n),
    merchantNumber: merchantNumber(2),
    kind,
    parentId: null,
    amounts,
    currency,
    ref: 'a' as Attempt['ref'],
    subjectRef: 'a' as Attempt['ref'],
    policy: 'resolve',
    conditions: { acceptsPartial: false, avsNeeded: 'none', cvvNeeded: false },
    following: [],
    details: {} as Attempt['details'],
    state,
    fence: 1,
    approved: amounts,
    approvalCode: state === 'approved' ? resultCode : '',
    resultCode,
    avs: '',
    cvv: '',
    networkId: '',
    createdAt: Temporal.Instant.fromEpochMilliseconds(0),
  }
}

type Case = readonly [AttemptKind, AttemptState, string, string]

// What an attempt becomes, with the code of its bank: what that makes of its order, and the record of it.
const cases: readonly Case[] = [
  ['sale', 'approved', 'QKZVHT', 'settled: order SUCCESS/SETTLED, awaits bank'],
  ['sale', 'declined', '51', 'declined by issuer: order DECLINED/DECLINED'],
  ['sale', 'declined', '91', 'declined by unreachable: order ERROR/DECLINED'],
  ['sale', 'declined', '92', 'declined by unreachable: order ERROR/DECLINED'],
  ['sale', 'declined', '96', 'declined by unreachable: order ERROR/DECLINED'],
  ['sale', 'not_sent', '', 'declined by unreachable: order ERROR/DECLINED'],
  ['sale', 'unknown', '', 'as it is, not over: order ACCEPTED/PENDING'],
  ['sale', 'reversal_due', '10', 'declined by issuer: order DECLINED/DECLINED'],
  ['sale', 'reversal_due', '', 'nothing'],
  ['sale', 'reversing', '', 'nothing'],
  ['sale', 'reversed', '', 'reversed: order SUCCESS/REVERSAL'],
  ['sale', 'manual', '', 'nothing'],
  ['verify', 'approved', 'QKZVHT', 'settled: order SUCCESS/SETTLED'],
  ['verify', 'declined', '51', 'declined by issuer: order DECLINED/DECLINED'],
  ['verify', 'not_sent', '', 'declined by unreachable: order ERROR/DECLINED'],
  ['verify', 'unknown', '', 'as it is, not over: order ACCEPTED/PENDING'],
  ['void', 'approved', '', 'void: CREDITVOID SUCCESS/VOID'],
  ['void', 'declined', '12', 'as it is: CREDITVOID DECLINED/DECLINED'],
  ['void', 'unknown', '', 'as it is, not over: CREDITVOID ACCEPTED/PENDING'],
  ['credit', 'approved', 'X', 'as it is: CREDITVOID SUCCESS/REFUND, awaits bank'],
  ['credit', 'not_sent', '', 'as it is: CREDITVOID ERROR/DECLINED'],
  ['credit', 'reversed', '', 'as it is: CREDITVOID SUCCESS/REVERSAL'],
  ['credit', 'refused', '', 'as it is: no record'],
]

for (const [kind, to, code, expected] of cases) {
  test(`a ${kind} that is ${to} ${code}: ${expected}`, () => {
    const attempt = attemptOf(kind, to, code)
    const at = attempt.createdAt
    const move = { attempt, from: 'sending' as const, to, answer: null, at, recordedAt: at }
    assert.equal(wordsFor(changeBy(move, 7n)), expected)
  })
}

function wordsFor(change: ReturnType<typeof changeBy>): string {
  if (!change) return 'nothing'
  const { state, because, isOver, step } = change
  const order = [state ?? 'as it is', because === '' ? '' : ` by ${because}`, isOver ? '' : ', not over']
  if (!step) return `${order.join('')}: no record`
  const { action, result, status, awaitsBank } = step
  return `${order.join('')}: ${action ?? 'order'} ${result}/${status}${awaitsBank ? ', awaits bank' : ''}`
}
