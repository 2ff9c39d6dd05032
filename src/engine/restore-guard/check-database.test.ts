import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  confirmDatabase,
  type GuardNeeds,
  judgeDatabase,
  seeMark,
  writeMark,
} from '#engine/restore-guard/check-database.operation.ts'
import { pausable } from '#engine/restore-guard/pausable.connector.ts'
import { type Mark, noMark } from '#engine/restore-guard/sending.ts'
import { nullable, text } from '#platform/postgres/column-type.ts'
import { Presence } from '#platform/postgres/presence.ts'
import { statement } from '#platform/postgres/statement.ts'
import { debit, settle } from '../../../test/support/bank-world.ts'
import { charge, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll } from '../../../test/support/till.ts'

const world = useWorld()

// A database whose nodes are forgotten, and the state files of nodes.
async function open(t: TestContext) {
  const needs = world()
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const sql = async (command: string) => {
    const client = new pg.Client(needs.connection)
    await client.connect()
    await client.query(command).finally(() => client.end())
  }
  await sql('delete from node')
  const node = (name: string) => ({ ...needs, stateFile: join(folder, name) })
  const judge = async (name: string) =>
    (await judgeDatabase(node(name), { register: true }))?.because ?? 'fine'
  const pay = async () => {
    const caller = await makeCallerOf(needs)
    assert.equal(
      told(await charge(needs, caller, await makeConsent(needs, caller), { Amounts: 5 })).refusal,
      null,
    )
  }
  return { needs, node, judge, sql, pay, folder }
}

// As the gateway does once a second.
async function raiseMark(node: GuardNeeds, last: Mark): Promise<Mark | null> {
  const mark = await seeMark(node, last)
  if (mark) await writeMark(node, mark)
  return mark
}

test('the first node is registered, and found again at every other start', async (t) => {
  const { judge, folder } = await open(t)
  assert.equal(await judge('first'), 'fine')
  assert.equal(await judge('first'), 'fine')
  const { nodeId } = JSON.parse(readFileSync(join(folder, 'first'), 'utf8'))
  assert.match(nodeId, /^[0-9a-f]{64}$/)
})

test('a node that the database does not know is paused, until an operator confirms it', async (t) => {
  const { judge, node, pay } = await open(t)
  await judge('first')
  await pay()
  assert.match(await judge('copy'), /not registered/)
  assert.match(await judge('copy'), /not registered/, 'asking again confirms nothing')
  await confirmDatabase(node('copy'), 'a second node')
  assert.equal(await judge('copy'), 'fine')
})

test('nodes that start at once where nothing was ever sent are all the first', async (t) => {
  const { judge, sql } = await open(t)
  await sql('delete from attempt')
  assert.deepEqual(await Promise.all(['left', 'right'].map(judge)), ['fine', 'fine'])
})

test('where nothing was sent but a node was known for long, an unknown one is paused', async (t) => {
  const { judge, sql, needs } = await open(t)
  await sql('delete from attempt')
  await judge('first')
  needs.clock.advance({ minutes: 1 })
  assert.match(await judge('copy'), /not registered/)
})

test('a new node joins by itself where a node that is known lives', async (t) => {
  const { judge, needs, pay } = await open(t)
  await judge('first')
  await pay()
  const presence = new Presence(needs.connection)
  await presence.show()
  t.after(() => presence.close())
  assert.equal(await judge('second'), 'fine')
  await presence.close()
  assert.equal(await judge('second'), 'fine', 'and is known from then on')
  assert.match(await judge('third'), /not registered/)
})

test('a database that lacks what a node saw in it is noticed, until an operator confirms it', async (t) => {
  const { judge, node, sql, pay } = await open(t)
  await judge('first')
  const early = await raiseMark(node('first'), noMark)
  await pay()
  const late = await raiseMark(node('first'), early ?? noMark)
  assert.ok(early && late && late.attempt.id > early.attempt.id)
  assert.equal(await judge('first'), 'fine')
  await sql(`delete from attempt where attempt_id > ${early.attempt.id}`)
  assert.equal(await raiseMark(node('first'), late), null, 'also while it runs')
  assert.match(await judge('first'), /restored/)
  await confirmDatabase(node('first'), 'compared with the bank')
  assert.equal(await judge('first'), 'fine')
})

test('it is noticed even when others have gone on from there under the same ids', async (t) => {
  const { judge, node, sql, pay } = await open(t)
  await judge('first')
  await pay()
  const mark = await raiseMark(node('first'), noMark)
  assert.ok(mark)
  await sql(`update attempt set acquirer_ref = 'another history' where attempt_id = ${mark.attempt.id}`)
  await pay()
  assert.match(await judge('first'), /restored/)
})

test('a database that lacks nothing but a settlement is noticed as well', async (t) => {
  const { judge, node, sql, needs } = await open(t)
  const till = await openTill(needs)
  await judge('first')
  await sell(till, 20)
  const early = await raiseMark(node('first'), noMark)
  assert.equal((await settleAll(till)).isApproved, true)
  assert.ok(early && (await raiseMark(node('first'), early)))
  assert.equal(await judge('first'), 'fine')
  await sql(`delete from batch_item; delete from batch_answer; delete from batch`)
  assert.match(await judge('first'), /lacks payments or batches/)
})

test('a node goes on with a mark of payments alone, as the version before wrote it', async (t) => {
  const { judge, node, pay, folder } = await open(t)
  await judge('first')
  await pay()
  await raiseMark(node('first'), noMark)
  const path = join(folder, 'first')
  const { batchId, batchRef, ...before } = JSON.parse(readFileSync(path, 'utf8'))
  assert.deepEqual([typeof batchId, typeof batchRef], ['string', 'string'])
  writeFileSync(path, JSON.stringify(before))
  assert.equal(await judge('first'), 'fine')
})

test('what a confirmed database has forgotten gives its ids to nothing else', async (t) => {
  const { judge, node, needs, pay } = await open(t)
  await judge('first')
  const till = await openTill(needs)
  const sale = await sell(till, 20)
  await pay()
  await confirmDatabase(node('copy'), 'compared with the bank')
  assert((await sell(till, 20)) > sale + 1_000_000)
  const caller = await makeCallerOf(needs)
  assert(Number(await makeConsent(needs, caller)) > 1_000_000)
})

const newestTraceStatement = statement(
  'test_newest_trace',
  [],
  { trace: nullable(text) },
  `select trace from bank_item where trace is not null order by attempt_id desc limit 1`,
)

test('no trace number that a bank has seen is given again, nor where their series begins anew', async (t) => {
  const { judge, node, needs, sql } = await open(t)
  await judge('first')
  const till = await openTill(needs)
  const nextTrace = async () => {
    await debit(till)
    await settle(till)
    const [newest] = await needs.db.run(newestTraceStatement, [])
    return Number(newest?.trace?.slice(-7))
  }
  const before = await nextTrace()
  await confirmDatabase(node('copy'), 'compared with the bank')
  assert.equal(await nextTrace(), before + 1_000_001)
  await sql(`select setval('bank_trace_seq', 9999998)`)
  await confirmDatabase(node('copy'), 'compared with the bank')
  assert.equal(await nextTrace(), 1_000_000)
})

test('a state file that cannot be read counts as none', async (t) => {
  const { judge, folder } = await open(t)
  await judge('first')
  writeFileSync(join(folder, 'first'), '{"nodeId":')
  assert.match(await judge('first'), /not registered/)
})

test('while sending is held, nothing is charged', async (t) => {
  const { needs } = await open(t)
  const sending = { hold: { kind: 'paused' as const, because: 'of a test' } }
  const held = { ...needs, acquirer: pausable(needs.acquirer, sending) }
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  assert.equal(told(await charge(held, caller, consent, { Amounts: 5 })).refusal, 'not_charged')
})
