import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '#platform/postgres/database.ts'
import { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { testClock } from '../../../test/support/test-clock.ts'

const start = Temporal.Instant.from('2027-01-15T10:00:00Z')
const hoursMs = 3_600_000

// A node and a database whose clocks differ, with a counter that the test moves. An answer may take long.
function open({ aheadMs }: { readonly aheadMs: number }) {
  let elapsedMs = 1_000
  const own = testClock(start.add({ milliseconds: aheadMs }).toString())
  let server = start
  const pass = (milliseconds: number) => {
    elapsedMs += milliseconds
    own.advance({ milliseconds })
    server = server.add({ milliseconds })
  }
  const answering = (beforeMs: number, afterMs: number): Queryable => ({
    run: async () => {
      pass(beforeMs)
      const rows = [{ server_time: server }]
      pass(afterMs)
      return rows as never
    },
  })
  const clock = new DatabaseClock(own, () => elapsedMs)
  const measure = (beforeMs = 0, afterMs = 0) => clock.measure(answering(beforeMs, afterMs))
  return { clock, own, pass, measure, server: () => server, suspend: (ms: number) => suspend(ms) }

  function suspend(milliseconds: number): void {
    own.advance({ milliseconds })
    server = server.add({ milliseconds })
  }
}

for (const aheadMs of [2 * hoursMs, -2 * hoursMs, 5_001, -5_001]) {
  test(`a node that is ${aheadMs} ms ahead is far off and shows the time of the database`, async () => {
    const { clock, measure, pass, server } = open({ aheadMs })
    await measure()
    assert.equal(clock.isFar, true)
    pass(1_234)
    assert.equal(clock.now().toString(), server().toString())
    assert.equal(clock.aheadMs, aheadMs)
  })
}

for (const aheadMs of [5_000, -5_000, 0])
  test(`a node that is ${aheadMs} ms ahead is not far off`, async () => {
    const { clock, measure } = open({ aheadMs })
    await measure()
    assert.equal(clock.isFar, false)
  })

test('a clock that is set to another time is noticed at once and moves nothing', async () => {
  const { clock, own, measure, server } = open({ aheadMs: 0 })
  await measure()
  own.advance({ hours: 2 })
  assert.equal(clock.isFar, true)
  assert.equal(clock.now().toString(), server().toString())
  own.advance({ hours: -2 })
  assert.equal(clock.isFar, false, 'and so is its correction')
})

test('a process that was suspended is far off until it has measured again', async () => {
  const { clock, measure, suspend, server } = open({ aheadMs: 0 })
  await measure()
  suspend(hoursMs)
  assert.equal(clock.isFar, true)
  await measure()
  assert.equal(clock.isFar, false)
  assert.equal(clock.now().toString(), server().toString())
})

test('an answer that takes long changes nothing that it does not contradict', async () => {
  const { clock, measure, server } = open({ aheadMs: 300 })
  await measure(0, 0)
  await measure(9_000, 0)
  await measure(0, 9_000)
  assert.equal(clock.now().toString(), server().toString())
})

test('the difference is described with its direction', async () => {
  const texts = await Promise.all(
    [2_500, -2_500, 0].map(async (aheadMs) => {
      const { clock, measure } = open({ aheadMs })
      await measure()
      return [clock.isUnusual, clock.describe()]
    }),
  )
  assert.deepEqual(texts, [
    [true, "2500 ms ahead of the database's"],
    [true, "2500 ms behind the database's"],
    [false, "the same as the database's"],
  ])
})
