import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BatchTurns } from '#platform/postgres/batch-turns.ts'
import { crowdIn, lanesOn, sizesOf } from '../../../test/support/batch-lanes.ts'

test('few attempts ahead of a crowd wait for it, and are recorded with it', async (t) => {
  const lanes = lanesOn(t, new BatchTurns())
  const { left, comesBack, reads, attempts, answers } = lanes
  await sizesOf(lanes, 'attempts', 65)
  const done = [attempts.add('a'), answers.add('z')]
  await nextTurn()
  await comesBack('T2 z')
  done.push(reads.add('b').then((read) => attempts.add(read)))
  await nextTurn()
  assert.deepEqual(left, ['T2 z', 'read b'])
  await comesBack('read b')
  assert.deepEqual(left, ['T2 z', 'read b', 'T1 a+b'])
  await comesBack('T1 a+b')
  assert.deepEqual(await Promise.all(done), ['a', 'z', 'b'])
})

test('few attempts leave as soon as half of the crowd is with them, whatever it did before', async (t) => {
  const lanes = lanesOn(t, new BatchTurns())
  await sizesOf(lanes, 'attempts', 66)
  const done = [lanes.attempts.add('a')]
  for (let more = 1; more < 32; more += 1) done.push(lanes.attempts.add(`${more}`))
  await nextTurn()
  await nextTurn()
  assert.deepEqual(lanes.left, [])
  done.push(lanes.attempts.add('b'), lanes.attempts.add('c'))
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  assert.equal(lanes.left.join().split('+').length, 34)
  await lanes.comesBack(lanes.left.join())
  await Promise.all(done)
})

test('few attempts whose crowd has come still let its next batch pass', async (t) => {
  const turns = new BatchTurns()
  const lanes = lanesOn(t, turns)
  const { left, comesBack, reads, attempts, answers } = lanes
  await sizesOf(lanes, 'attempts', 65)
  crowdIn(turns)
  const done = [attempts.add('a'), reads.add('b')]
  await nextTurn()
  done.push(answers.add('z'))
  await nextTurn()
  await comesBack('read b')
  assert.deepEqual(left, ['read b', 'T2 z'])
  await comesBack('T2 z')
  assert.deepEqual(left, ['read b', 'T2 z', 'T1 a'])
  await comesBack('T1 a')
  await Promise.all(done)
})

test('a crowd that does not come is waited for no longer than 25 ms', async (t) => {
  const lanes = lanesOn(t, new BatchTurns())
  await sizesOf(lanes, 'attempts', 65)
  lanes.passMs(199)
  const alone = lanes.attempts.add('a')
  await nextTurn()
  t.mock.timers.tick(24)
  await nextTurn()
  assert.deepEqual(lanes.left, [])
  t.mock.timers.tick(1)
  await nextTurn()
  assert.deepEqual(lanes.left, ['T1 a'])
  await Promise.all([lanes.comesBack('T1 a'), alone])
})

for (const [what, { recorded, comes, laterMs }] of [
  ['half as many as a moment ago', { recorded: 66, comes: 33, laterMs: 0 }],
  ['few behind as many as there is time for at once', { recorded: 64, comes: 1, laterMs: 0 }],
  ['a lone one long after a crowd', { recorded: 65, comes: 1, laterMs: 200 }],
] as const) {
  test(`${what} leave at once`, async (t) => {
    const lanes = lanesOn(t, new BatchTurns())
    await sizesOf(lanes, 'attempts', recorded)
    lanes.passMs(laterMs)
    const done = Array.from({ length: comes }, (_, at) => lanes.attempts.add(`${at}`))
    await nextTurn()
    assert.equal(lanes.left.length, 1)
    await lanes.comesBack(lanes.left.join())
    assert.equal((await Promise.all(done)).length, comes)
  })
}

test('what a batch leaves over does not hide that there is a crowd', async (t) => {
  const { left, comesBack, attempts } = lanesOn(t, new BatchTurns())
  const crowd = [attempts.add("0'"), ...Array.from({ length: 65 }, (_, at) => attempts.add(`${at}`))]
  await nextTurn()
  for (let batches = 0; batches < 2; batches += 1) await comesBack(left.splice(0).join())
  await Promise.all(crowd)
  const few = attempts.add('a')
  await nextTurn()
  assert.deepEqual(left, [])
  t.mock.timers.tick(25)
  await nextTurn()
  await Promise.all([comesBack('T1 a'), few])
})
