import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AcquirerAnswer, InquiryAnswer } from '#engine/acquirers/acquirer-answer.ts'
import { simulatorAbilities } from '#engine/acquirers/simulator.connector.ts'
import { AcquirerLine } from '#engine/payments/acquirer-line.operation.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { openLog } from '#platform/log.ts'
import { testClock } from '../../../test/support/test-clock.ts'

const declined: AcquirerAnswer = { kind: 'declined', code: '05', checks: { avs: '', cvv: '' } }
const notSent: AcquirerAnswer = { kind: 'not_sent' }
const unheard = { kind: 'unknown', because: 'timeout' } as const
const notFound = { kind: 'not_found' } as const

// A line whose checks are answered one after the other as they are told to be.
function openLine({ inquiry = true }: { readonly inquiry?: boolean } = {}) {
  const clock = testClock()
  const asked: PromiseWithResolvers<InquiryAnswer>[] = []
  const acquirer = {
    name: 'bank',
    abilities: { ...simulatorAbilities, inquiry },
    inquire: () => {
      const answer = Promise.withResolvers<InquiryAnswer>()
      asked.push(answer)
      return answer.promise
    },
  }
  const line = new AcquirerLine({ acquirer, clock, log: openLog('silent'), patience: usualPatience })
  const hear = (answers: readonly AcquirerAnswer[]) => answers.forEach((answer) => line.hear(answer))
  return { line, clock, asked, hear }
}

const times = (count: number, answer: AcquirerAnswer) => Array.from({ length: count }, () => answer)

async function openDeadLine() {
  const opened = openLine()
  opened.hear(times(5, unheard))
  opened.asked[0]?.resolve(unheard)
  await nextTurn()
  return opened
}

for (const [what, answers, isChecked] of [
  ['four of ten without an answer are chance', [...times(4, unheard), ...times(6, declined)], false],
  ['five of ten without an answer are not', [...times(5, declined), ...times(5, unheard)], true],
  ['what never left counts like what was not answered', [...times(3, notSent), ...times(2, unheard)], true],
  [
    'what is longer ago than ten answers does not count',
    [...times(4, unheard), ...times(10, declined)],
    false,
  ],
  ['a decline is an answer', times(20, declined), false],
] as const) {
  test(what, () => {
    const { asked, hear } = openLine()
    hear(answers)
    assert.equal(asked.length, isChecked ? 1 : 0)
  })
}

test('payments that fail on a line that is in order do not close it', async () => {
  const { line, asked, hear } = openLine()
  hear(times(5, unheard))
  asked[0]?.resolve(notFound)
  await nextTurn()
  assert.equal(await line.mayAsk(), true)
  hear(times(4, unheard))
  assert.equal(asked.length, 1, 'and are counted anew')
})

test('a line is checked once at a time, and is open until the check says otherwise', () => {
  const { line, asked, hear } = openLine()
  hear(times(10, unheard))
  assert.equal(asked.length, 1)
  assert.equal(line.mayAsk(), true)
})

test('a line that does not answer its check either is closed', async () => {
  const { line } = await openDeadLine()
  assert.equal(line.isUp, false)
  assert.equal(line.mayAsk(), false)
})

test('one whose connector throws at its check is closed too', async () => {
  const { line, asked, hear } = openLine()
  hear(times(5, notSent))
  asked[0]?.reject(new Error('no route'))
  await nextTurn()
  assert.equal(line.isUp, false)
})

test('after a while one caller finds out whether the line is back, and nobody else waits', async () => {
  const { line, clock, asked } = await openDeadLine()
  clock.advance({ milliseconds: usualPatience.recoveryMs - 1 })
  assert.equal(line.mayAsk(), false)
  clock.advance({ milliseconds: 1 })
  const first = line.mayAsk()
  assert.equal(line.mayAsk(), false)
  asked[1]?.resolve(unheard)
  assert.equal(await first, false)

  clock.advance({ milliseconds: usualPatience.recoveryMs })
  const second = line.mayAsk()
  asked[2]?.resolve(notFound)
  assert.equal(await second, true)
  assert.equal(line.mayAsk(), true)
})

test('an acquirer that cannot be asked without a payment is never taken for unreachable', () => {
  const { line, asked, hear } = openLine({ inquiry: false })
  hear(times(20, unheard))
  assert.deepEqual([asked.length, line.mayAsk()], [0, true])
})
