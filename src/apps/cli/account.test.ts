import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountCommands } from '#apps/cli/account.ts'
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
