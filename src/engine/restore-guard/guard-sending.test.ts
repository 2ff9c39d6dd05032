import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { confirmDatabase, isMarkNoted } from '#engine/restore-guard/check-database.operation.ts'
import { SendingGuard } from '#engine/restore-guard/guard-sending.operation.ts'
import { systemClock } from '#platform/clock.ts'
import { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { pausable } from '#engine/restore-guard/pausable.connector.ts'
import { until } from '../../../test/support/gateway-process.ts'
import { charge, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

// A node whose data folder comes and goes, with a guard in the process that keeps its state file and one in a
// worker, and somebody who charges at either.
async function open(t: TestContext, { unnotedMsMax = 50 }: { readonly unnotedMsMax?: number } = {}) {
  const needs = world()
  const place = mkdtempSync(join(tmpdir(), 'tillgate-node-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const folder = join(place, 'data')
  mkdirSync(folder)
  const clock = new DatabaseClock(systemClock)
  const node = { ...needs, clock, stateFile: join(folder, 'node.json'), unnotedMsMax }
  const keeper = new SendingGuard({ ...node, isKeeper: true })
  const worker = new SendingGuard({ ...node, isKeeper: false })
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const pay = async (sending = keeper) => {
    const held = { ...needs, acquirer: pausable(needs.acquirer, sending) }
    return told(await charge(held, caller, consent, { Amounts: 5 })).refusal
  }
  await confirmDatabase(node, 'for this test')
  for (const guard of [keeper, worker]) {
    t.after(() => guard.stop())
    await guard.start()
  }
  const errors = () => needs.lines.filter(({ text }) => /written down/.test(text)).map(({ text }) => text)
  const takeFolder = () => renameSync(folder, `${folder}.away`)
  const giveFolder = () => renameSync(`${folder}.away`, folder)
  return { needs, node, keeper, worker, pay, errors, takeFolder, giveFolder }
}

const holdOf = (guard: SendingGuard) => guard.hold?.kind ?? 'none'

test('nothing is charged once a node cannot write down what a restored database would lack', async (t) => {
  const { node, keeper, worker, pay, errors, takeFolder, giveFolder } = await open(t)
  assert.equal(await pay(), null)
  assert.equal(await isMarkNoted(node, 30_000), true)
  await until(() => [keeper, worker].every((guard) => holdOf(guard) === 'none'), { what: 'none holds' })
  // On a busy machine a hold may have come and gone by now.
  const earlier = errors().length
  takeFolder()
  assert.equal(await pay(), null)
  await until(() => [keeper, worker].every((guard) => holdOf(guard) === 'unnoted'), { what: 'both hold' })
  assert.equal(await isMarkNoted(node, 0), false)
  assert.deepEqual([await pay(keeper), await pay(worker)], ['not_charged', 'not_charged'])
  const failed = 'How far the database has come cannot be written down; trying again each second'
  const held = 'Nothing is sent until it can be written down'
  assert.deepEqual(errors().slice(earlier).toSorted(), [failed, held, held], 'once by each')
  giveFolder()
  await until(() => [keeper, worker].every((guard) => holdOf(guard) === 'none'), { what: 'both go on' })
  assert.equal(await isMarkNoted(node, 0), true)
  assert.equal(await pay(), null)
  const again = 'How far the database has come is written down again'
  assert.deepEqual(errors().slice(earlier + 3), [again, again])
})

test('a disk that is merely slow keeps nobody from paying', async (t) => {
  const { node, keeper, pay, errors, takeFolder, giveFolder } = await open(t, { unnotedMsMax: 60_000 })
  takeFolder()
  await pay()
  await until(() => errors().length > 0, { what: 'the writing has failed' })
  assert.equal(await pay(), null)
  giveFolder()
  assert.equal(await isMarkNoted(node, 30_000), true)
  assert.equal(holdOf(keeper), 'none')
})
