import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type CrashPoint } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { soundAlarms } from '#engine/payments/watch-backlog.operation.ts'
import { confirmDatabase } from '#engine/restore-guard/check-database.operation.ts'
import { SendingGuard } from '#engine/restore-guard/guard-sending.operation.ts'
import { systemClock } from '#platform/clock.ts'
import { int4, text } from '#platform/postgres/column-type.ts'
import { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { statement } from '#platform/postgres/statement.ts'
import { charge, impatient, makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import { until } from '../../../test/support/gateway-process.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const hoursMs = 3_600_000

const newestStatement = statement(
  'test_newest_attempt_of_wrong_clock',
  [],
  { state: text, fence: int4 },
  `select state, fence from attempt order by attempt_id desc limit 1`,
)

// Nodes of one database, each with a clock of its own that is wrong by some milliseconds.
async function open() {
  const needs = impatient(world())
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const node = async (aheadMs: number) => {
    let laterMs = 0
    const own = { now: () => systemClock.now().add({ milliseconds: aheadMs + laterMs }) }
    const clock = new DatabaseClock(own, () => performance.now() + laterMs)
    await clock.measure(needs.db)
    const engineThat = (crashpoint: (point: CrashPoint) => void) => ({
      ...needs,
      ...paymentEngine({ ...needs, clock, crashpoint }),
      clock: { ...needs.clock, now: () => clock.now() },
    })
    const dying = engineThat((point) => {
      if (point === 'after_t1') throw new Crash()
    })
    const working = engineThat(() => undefined)
    return {
      needs: working,
      die: () => assert.rejects(charge(dying, caller, consent, { Amounts: 5 }), Crash),
      pay: () => charge(working, caller, consent, { Amounts: 5 }),
      wait: (milliseconds: number) => {
        laterMs += milliseconds
      },
    }
  }
  const newest = async () => (await needs.db.run(newestStatement, []))[0]
  return { needs, node, newest }
}

for (const aheadMs of [2 * hoursMs, -2 * hoursMs]) {
  const where = aheadMs > 0 ? 'ahead' : 'behind'
  test(`a node that is two hours ${where} takes nothing over that another node is still at`, async () => {
    const { node, newest } = await open()
    const [right, wrong] = [await node(0), await node(aheadMs)]
    await right.die()
    assert.equal(await recoverAttempts(wrong.needs), 0)
    assert.deepEqual(await newest(), { state: 'sending', fence: 1 })
    right.wait(46_000)
    assert.notEqual(await recoverAttempts(right.needs), 0, 'and leaves it to a node that is right')
    assert.notEqual((await newest())?.state, 'sending')
  })

  test(`what a node that is two hours ${where} holds is taken over when its lease ends`, async () => {
    const { node, newest } = await open()
    const [right, wrong] = [await node(0), await node(aheadMs)]
    await wrong.die()
    assert.equal(await recoverAttempts(right.needs), 0)
    right.wait(46_000)
    assert.notEqual(await recoverAttempts(right.needs), 0)
    assert.notEqual((await newest())?.state, 'sending')
  })

  test(`the alarm sees an old attempt of a node that is two hours ${where}`, async () => {
    const { needs, node } = await open()
    const [right, wrong] = [await node(0), await node(aheadMs)]
    const lost = { losesAnswer: true, hangsUp: true }
    for (const verb of ['authorize', 'inquire'] as const) needs.bank.faults.add({ verb, delivery: lost })
    await wrong.pay()
    const names = async () => (await soundAlarms(right.needs, [])).map(({ name }) => name)
    assert.deepEqual((await names()).includes('unknown_long'), false)
    right.wait(16 * 60_000)
    assert.deepEqual((await names()).includes('unknown_long'), true)
  })
}

const holdOf = (guard: SendingGuard) => guard.hold?.kind ?? 'none'

async function openGuard(t: TestContext) {
  const needs = world()
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  let aheadMs = 0
  const clock = new DatabaseClock({ now: () => systemClock.now().add({ milliseconds: aheadMs }) })
  const node = { ...needs, clock, stateFile: join(folder, 'node.json'), isKeeper: true }
  await confirmDatabase(node, 'for this test')
  const guard = new SendingGuard(node)
  t.after(() => guard.stop())
  const put = (ms: number) => {
    aheadMs = ms
  }
  const reported = () => needs.lines.filter(({ text: line }) => /clock of this node/.test(line))
  return { guard, put, reported }
}

for (const aheadMs of [2 * hoursMs, -2 * hoursMs, 6_000])
  test(`a node that is ${aheadMs} ms ahead holds what it sends until its clock is right`, async (t) => {
    const { guard, put, reported } = await openGuard(t)
    put(aheadMs)
    await guard.start()
    assert.equal(holdOf(guard), 'clock')
    put(0)
    assert.equal(holdOf(guard), 'none', 'at once')
    await until(() => reported().length === 2, { what: 'both are logged' })
    assert.match(reported()[0]?.text ?? '', /is wrong: nothing is begun or recovered until it is right/)
    assert.match(reported()[1]?.text ?? '', /is right again/)
  })

test('a clock that is set to another time holds a running node at once', async (t) => {
  const { guard, put } = await openGuard(t)
  await guard.start()
  assert.equal(holdOf(guard), 'none')
  put(2 * hoursMs)
  assert.equal(holdOf(guard), 'clock')
  put(4_000)
  assert.equal(holdOf(guard), 'none', 'a small difference is allowed')
})
