import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { buildContext, nodeFileOf } from '#apps/build-context.ts'
import { diagnose, type Finding } from '#apps/doctor.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { seedOrComplain } from '#apps/seed-or-complain.ts'
import { confirmDatabase } from '#engine/restore-guard/check-database.operation.ts'
import { Secret } from '#kernel/secret.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { earlierPlace, emptyPlace } from '../../test/support/empty-place.ts'
import { unanswer } from '../../test/support/unanswer.ts'

// What is logged while a gateway opens its installation, and whether it was made by that.
async function openAndClose(config: Config) {
  const told: string[] = []
  const log = openLog('warn', (line) => told.push(line))
  const installation = await openInstallation({ config, role: 'gateway', log })
  await installation.close()
  return { told: told.join(''), isNew: installation.isNew }
}

async function findingOn(subject: string, config: Config): Promise<Omit<Finding, 'subject'> | undefined> {
  const found = (await diagnose(config)).find((one) => one.subject === subject)
  return found && { verdict: found.verdict, text: found.text }
}

function putClock(t: TestContext, by: Temporal.DurationLike): void {
  const now = systemClock.now.bind(systemClock)
  t.mock.method(systemClock, 'now', () => now().add(by))
}

test('the doctor and the commands that look make no installation of an empty database', async (t) => {
  const config = await emptyPlace(t)
  const text =
    'There is no installation in this database. Check DATABASE_URL and DATA_DIR, or make one: tillgate start.'
  assert.deepEqual(await findingOn('database', config), { verdict: 'WRONG', text })
  const looking = { config, role: 'command', log: openLog('silent'), mayMake: false } as const
  await assert.rejects(openInstallation(looking), { name: 'Complaint', message: text })
  assert.equal(existsSync(config.keysFolder), false)
  assert.equal((await openAndClose(config)).isNew, true, 'nothing was made before')
  assert.partialDeepStrictEqual(await findingOn('database', config), { verdict: 'ok' })
})

test('the doctor of a new version changes nothing, and says how many migrations wait', async (t) => {
  const config = await earlierPlace(t, '0038')
  const finding = await findingOn('database', config)
  assert.equal(finding?.verdict, 'warning')
  assert.match(finding.text, /^answers; \d+ migrations wait, from 0038_released_batches\.sql: the next start/)
  assert.deepEqual(await findingOn('database', config), finding, 'they still wait')
  assert.equal(existsSync(config.keysFolder), false)
})

test('a command of a new version says what it brings up to date', async (t) => {
  const config = await earlierPlace(t, '0038')
  const told: string[] = []
  const log = openLog('warn', (line) => told.push(line))
  await (await openInstallation({ config, role: 'command', log, mayMake: false })).close()
  assert.match(told.join(''), /"0038_released_batches\.sql".*Brought the database schema up to date/)
})

test("a clock that is the database's is told by nobody", async (t) => {
  const config = await emptyPlace(t)
  assert.doesNotMatch((await openAndClose(config)).told, /clock/)
  assert.partialDeepStrictEqual(await findingOn('clock', config), { verdict: 'ok' })
})

for (const [where, by] of [
  ['ahead of', { seconds: 90 }],
  ['behind', { seconds: -5 }],
] as const) {
  test(`a clock that is far ${where} the database's is told at the start and by the doctor`, async (t) => {
    const config = await emptyPlace(t)
    putClock(t, by)
    const difference = new RegExp(`\\d+ ms ${where} the database's`)
    const { told } = await openAndClose(config)
    assert.match(told, /"level":40.*The clock of this node is wrong/)
    assert.match(told, difference)
    const finding = await findingOn('clock', config)
    assert.equal(finding?.verdict, 'WRONG')
    assert.match(finding.text, difference)
  })
}

test('a server that may forget payments is told at the start and by the doctor', async (t) => {
  const config = await emptyPlace(t)
  const { told } = await openAndClose(config)
  assert.match(told, /"level":40.*synchronous_commit is off.*payments may be lost/)
  const finding = await findingOn('server', config)
  assert.equal(finding?.verdict, 'warning')
  assert.match(finding.text, /fsync is off: .*; synchronous_commit is off: /)
})

test('a mail server that is set up and not chosen is told at the start', async (t) => {
  const smtpUrl = new Secret('smtp://till:hidden@mail.example.com')
  const config = { ...(await emptyPlace(t)), smtpUrl }
  const { told } = await openAndClose(config)
  assert.match(told, /"level":40,.*TILLGATE_SMTP_URL is set, but TILLGATE_MAIL_SENDER is not smtp/)
  assert.doesNotMatch(told, /hidden/)
  const chosen = { ...config, mailSender: 'smtp', mailFrom: 'till@example.com' } as const
  assert.doesNotMatch((await openAndClose(chosen)).told, /sender/i)
})

test('payments that a killed gateway never heard of again are told by the doctor', async (t) => {
  const config = await emptyPlace(t)
  const log = openLog('silent')
  const installation = await openInstallation({ config, role: 'gateway', log })
  const parts = { config, log, installation }
  await seedOrComplain(await buildContext({ ...parts, sending: { hold: null }, isWorker: false }), parts)
  await unanswer(installation.db, systemClock.now())
  await installation.close()
  assert.deepEqual(await findingOn('attempts', config), {
    verdict: 'ok',
    text:
      '0 need an operator, 0 unknown; 1 sent and never answered: a running gateway asks the bank ' +
      'about each of them 45 seconds after it was begun',
  })
})

test('a running gateway that cannot write its node.json is told by the doctor', async (t) => {
  const config = await emptyPlace(t)
  const log = openLog('silent')
  const installation = await openInstallation({ config, role: 'gateway', log })
  const parts = { config, log, installation }
  const needs = { db: installation.db, clock: systemClock, stateFile: nodeFileOf(config) }
  await confirmDatabase(needs, 'for this test')
  assert.partialDeepStrictEqual(await findingOn('guard', config), { verdict: 'ok' })
  await seedOrComplain(await buildContext({ ...parts, sending: { hold: null }, isWorker: false }), parts)
  const finding = await findingOn('guard', config)
  await installation.close()
  assert.equal(finding?.verdict, 'WRONG')
  assert.match(finding.text, /cannot write down how far .*: .*node\.json is not written; see to the room/)
  assert.partialDeepStrictEqual(await findingOn('guard', config), { verdict: 'ok' }, 'without a gateway')
})
