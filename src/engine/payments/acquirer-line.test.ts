import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InquiryAnswer, ReversalAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { AcquirerLine } from '#engine/payments/acquirer-line.operation.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { openLog } from '#platform/log.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { Bank } from '../../../simulator/bank.ts'
import { openMemoryLog } from '../../../simulator/memory-log.ts'

// A question about a payment, which is answered at once; the answers of a check are waited for.
const spoke: ReversalAnswer = { kind: 'refused', code: '12' }
const unheard = { kind: 'unknown', because: 'timeout' } as const
const held = { ...unheard, isOurOwn: true } as const
const away = new DatabaseUnavailable('The database does not answer')
const notFound = { kind: 'not_found' } as const

function openLine({ inquiryMs = 60_000 } = {}) {
  const checks: PromiseWithResolvers<InquiryAnswer>[] = []
  const answers: (ReversalAnswer | Error)[] = []
  const bank = simulatorAcquirer({ bank: new Bank({ log: openMemoryLog() }) })
  const acquirer: Acquirer = {
    ...bank,
    reverse: async () => {
      const next = answers.shift() ?? spoke
      if (next instanceof Error) throw next
      return next
    },
    inquire: () => {
      const answer = Promise.withResolvers<InquiryAnswer>()
      checks.push(answer)
      return answer.promise
    },
  }
  const line = new AcquirerLine({ acquirer, log: openLog('silent'), patience: { inquiryMs } })
  const ask = async (heard: readonly (ReversalAnswer | Error)[]): Promise<void> => {
    for (const one of heard) {
      answers.push(one)
      await line.acquirer.reverse(newReference(), AbortSignal.any([])).catch(() => undefined)
    }
  }
  const answerCheck = async (answer: InquiryAnswer): Promise<void> => {
    checks.at(-1)?.resolve(answer)
    await nextTurn()
  }
  return { line, checks, ask, answerCheck }
}

const times = <One>(count: number, one: One): readonly One[] => Array.from({ length: count }, () => one)

async function openDeadLine() {
  const opened = openLine()
  await opened.ask(times(5, unheard))
  await opened.answerCheck(unheard)
  assert.equal(opened.line.isUp, false)
  return opened
}

const doubts: readonly [what: string, heard: readonly (ReversalAnswer | Error)[], isChecked: boolean][] = [
  ['four of ten without an answer are chance', [...times(4, unheard), ...times(6, spoke)], false],
  ['five of ten without an answer are not', [...times(5, spoke), ...times(5, unheard)], true],
  ['a connector that throws was not heard', times(5, new Error('no route')), true],
  ['what is longer ago than ten answers does not count', [...times(4, unheard), ...times(10, spoke)], false],
  ['what we did not send ourselves is no silence', times(20, held), false],
  ['a database that is away is not an acquirer that is silent', times(20, away), false],
  ['and no answer either', [...times(4, unheard), ...times(10, held), unheard], true],
]
for (const [what, heard, isChecked] of doubts) {
  test(what, async () => {
    const { checks, ask } = openLine()
    await ask(heard)
    assert.equal(checks.length, isChecked ? 1 : 0)
  })
}

test('payments that come to nothing on a line that is in order do not close it', async () => {
  const { line, checks, ask, answerCheck } = openLine()
  await ask(times(5, unheard))
  await answerCheck(notFound)
  assert.equal(line.isUp, true)
  await ask(times(4, unheard))
  assert.equal(checks.length, 1, 'and are counted anew')
})

test('a line is checked once at a time, and is open until the check says otherwise', async () => {
  const { line, checks, ask } = openLine()
  await ask(times(10, unheard))
  assert.deepEqual([checks.length, line.isUp], [1, true])
})

test('a line that does not answer its check either is closed', async () => {
  const { line } = await openDeadLine()
  assert.equal(line.isUp, false)
})

test('one whose connector throws at its check is closed too', async () => {
  const { line, checks, ask } = openLine()
  await ask(times(5, unheard))
  checks[0]?.reject(new Error('no route'))
  await nextTurn()
  assert.equal(line.isUp, false)
})

test('one whose connector never comes back is closed in time, and can be checked again', async () => {
  const { line, checks, ask, answerCheck } = openLine({ inquiryMs: 0 })
  await ask(times(5, unheard))
  while (line.isUp) await nextTurn()
  void line.check()
  await answerCheck(notFound)
  assert.deepEqual([checks.length, line.isUp], [2, true])
})

test('an answer to a payment meanwhile counts more than the silence of the check', async () => {
  const { line, ask, answerCheck } = openLine()
  await ask([...times(5, unheard), spoke])
  await answerCheck(unheard)
  assert.equal(line.isUp, true)
})

test('a line is open again when a check is answered', async () => {
  const { line, answerCheck } = await openDeadLine()
  void line.check()
  await answerCheck(unheard)
  assert.equal(line.isUp, false)
  void line.check()
  await answerCheck(notFound)
  assert.equal(line.isUp, true)
})

test('a line is open again when anything else is answered, such as a void', async () => {
  const { line, ask } = await openDeadLine()
  await ask([unheard])
  assert.equal(line.isUp, false)
  await ask([spoke])
  assert.equal(line.isUp, true)
})

test('a check that may not be sent changes nothing', async () => {
  const { line, answerCheck } = openLine()
  void line.check()
  await answerCheck(held)
  assert.equal(line.isUp, true)
})
