import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountCommands } from '#apps/cli/account.ts'
import { tokenCommands } from '#apps/cli/token.ts'
import { firstIntegratorKey, integratorKey } from '#capabilities/forms/integrator-keys.operation.ts'
import { findAccount } from '#engine/merchants/find-account.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { say } from '../../../test/support/say-command.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, type Till } from '../../../test/support/till.ts'

const world = useWorld()

const silent = () => Promise.resolve({ kind: 'unknown', because: 'timeout' } as const)

const close = ({ needs, account }: Till, flags: Readonly<Record<string, boolean>> = {}) =>
  say(accountCommands['close'], { needs, subject: account.accountCode, flags })

async function listed({ needs, account }: Till): Promise<unknown> {
  const { rows } = await say(accountCommands['list'], { needs })
  const row = rows.find(({ code }) => code === account.accountCode)
  return [row?.['state'], row?.['signIns']]
}

test('an account begins with an integrator key, which is shown once', async () => {
  const till = await openTill(world())
  const { needs } = till
  const made = await say(accountCommands['create'], { needs, texts: { description: 'Kiosk' } })
  const [row = {}] = made.rows
  assert.equal(row['integratorKeyIndex'], '300')
  assert.match(String(row['integratorKey']), /^[0-9a-f]{64}$/)
  assert.match(made.note ?? '', /Keep the integrator key: it is shown once/)
  const found = await findAccount(needs, String(row['code']))
  assert(found.ok)
  const { accountId } = found.value
  const key = await integratorKey(needs, accountId, '300')
  assert.equal(key?.reveal(), row['integratorKey'])
  assert.doesNotMatch(JSON.stringify(await say(accountCommands['list'], { needs })), /integratorKey/)
})

test('the first integrator key has index 1 outside the sandbox, and is made once', async () => {
  const till = await openTill(world())
  const live = { ...till.needs, keyRing: { ...till.needs.keyRing, mode: 'live' as const } }
  const keys = [1, 2].map(() => firstIntegratorKey(live, till.account.accountId))
  const [one, two] = await Promise.all(keys)
  assert(one && two)
  assert.deepEqual([one.index, two.index, one.key.reveal()], ['1', '1', two.key.reveal()])
})

test('an account whose code is taken gets no second key', async () => {
  const { needs, account } = await openTill(world())
  const texts = { description: 'Kiosk', code: account.accountCode }
  await assert.rejects(say(accountCommands['create'], { needs, texts }), /is taken/)
  assert.equal(await integratorKey(needs, account.accountId, '300'), null)
})

test('a token is issued with the index of the integrator keys of its account', async () => {
  const { needs, account } = await openTill(world())
  const issue = (alias: string) =>
    say(tokenCommands['issue'], { needs, texts: { account: account.accountCode, alias } })
  assert.doesNotMatch((await issue('before')).note ?? '', /EINDEX/)
  const { key } = await firstIntegratorKey(needs, account.accountId)
  const { note = '' } = await issue('after')
  assert.match(note, /\(EINDEX\): 300$/)
  assert(!note.includes(key.reveal()))
})

test('an account whose sales are not settled is closed only by whoever insists', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  await sell(till, 30)
  const told =
    /^The account \w+ has transactions that are not settled: 2\. Settle them first, or void or credit/
  await assert.rejects(close(till), { name: 'Complaint', message: told })
  assert.deepEqual(await listed(till), ['open', 'open'])
  assert.partialDeepStrictEqual((await close(till, { yes: true })).rows, [{ state: 'closed', unsettled: 2 }])
  assert.deepEqual(await listed(till), ['closed', 'closed'], 'and nobody can sign in')
})

test('an account that waits for an outcome is closed only by whoever insists', async () => {
  const till = await openTill(world())
  const acquirer = { ...till.needs.acquirer, authorize: silent, inquire: silent }
  const needs = { ...till.needs, ...paymentEngine({ ...till.needs, acquirer }), clock: till.needs.clock }
  await sell({ ...till, needs }, 20)
  const told = /^The account \w+ has transactions whose outcome is not known yet: 1\. Let them come to an end/
  await assert.rejects(close(till), { name: 'Complaint', message: told })
  assert.deepEqual(await listed(till), ['open', 'open'])
  assert.partialDeepStrictEqual((await close(till, { yes: true })).rows, [{ state: 'closed' }])
})

test('whoever closes an account hears what was open', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  await settleAll(till)
  await makePlan(till.needs, till.caller)
  const open = { state: 'closed', unsettled: 0, plans: 1, links: 0, forms: 0 }
  assert.partialDeepStrictEqual((await close(till)).rows, [open])
  assert.partialDeepStrictEqual((await close(till)).rows, [open], 'also when it is said again')
})
