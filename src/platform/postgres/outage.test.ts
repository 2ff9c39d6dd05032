import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { Outage } from '#platform/postgres/outage.ts'

function recordingLog() {
  const lines: string[] = []
  const at = (level: string) => (fields: object, text: string) =>
    void lines.push(`${level} ${text} ${JSON.stringify(Object.keys(fields))}`)
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

const cause = new Error('Connection terminated due to connection timeout')
const away = () => Promise.reject(new DatabaseUnavailable('The database does not answer', { cause }))
const broken = () => Promise.reject(new Error('a mistake of ours'))
const slow = () => Promise.reject(Object.assign(new Error('canceling statement'), { code: '57014' }))
const there = () => Promise.resolve('done')
const began = 'warn The database cannot be reached; tasks and recovery go on trying ["error"]'
const ended = 'info The database can be reached again []'

test('a database that is away is told in one line without a stack, and in one when it is back', async () => {
  const { log, lines } = recordingLog()
  const outage = new Outage(log)
  for (const work of [there, away, away, there, there]) await outage.survive<string>(work)
  assert.deepEqual(lines, [began, ended])
})

test('of several that miss it one tells it, and it is back when the last of them has it', async () => {
  const { log, lines } = recordingLog()
  const queue = new Outage(log)
  const recovery = queue.beside()
  await queue.survive(away)
  await recovery.survive(away)
  assert.equal(await queue.survive(there), 'done')
  await queue.survive(there)
  assert.deepEqual(lines, [began])
  await recovery.survive(there)
  assert.deepEqual(lines, [began, ended])
})

test('a database that is there and too slow is told each time', async () => {
  const { log, lines } = recordingLog()
  const outage = new Outage(log)
  for (const work of [slow, slow]) await outage.survive(work)
  assert.equal(lines.length, 2)
})

test('what is no outage is told each time, with its stack', async () => {
  const { log, lines } = recordingLog()
  const outage = new Outage(log)
  assert.equal(await outage.survive(broken), null)
  await outage.survive(broken)
  await outage.survive(there)
  const told = 'error What runs by itself has failed; going on trying ["err"]'
  assert.deepEqual(lines, [told, told])
})
