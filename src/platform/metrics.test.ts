import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMetrics } from '#platform/metrics.ts'

test('a scrape tells whether the database answers now, and not what the last one found', async () => {
  let isThere = true
  let asked = 0
  let room = true
  const countTasks = async () => {
    asked += 1
    if (!isThere) throw new Error('The database does not answer')
    return { waiting: 3, overdue: 0, dead: 0 }
  }
  const metrics = openMetrics({ countTasks, hasRoom: async () => room })
  const scrape = async () => {
    const text = await metrics.render()
    const valueOf = (name: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1]
    return [valueOf('tillgate_database_up '), valueOf('tillgate_tasks{state="waiting"}')]
  }
  assert.deepEqual(await scrape(), ['1', '3'])
  isThere = false
  assert.deepEqual(await scrape(), ['0', undefined])
  isThere = true
  assert.deepEqual(await scrape(), ['1', '3'])
  room = false
  assert.deepEqual(await scrape(), ['0', '3'], 'a full disk is one that is not there for payments')
  assert.equal(asked, 4)
})
