import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueWork } from '#capabilities/due-work.ts'
import { collectDuePayments } from '#capabilities/collection/collect-due-payments.operation.ts'
import {
  announceUpcomingWork,
  collectDuePaymentsWork,
} from '#capabilities/collection/collect-due-payments.task.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { runDueWork } from '#engine/account-clock/run-due-work.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { makeCaller, postedMinor } from '../../../test/support/consent-world.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const works = [announceUpcomingWork, collectDuePaymentsWork]

async function openShop() {
  const needs = world()
  const account = await makeAccount(needs)
  const caller = await makeCaller(needs, account)
  await makePlan(needs, caller, { NumPayments: 3, TotalAmount: 30, StartDate: '2027-01-31' })
  return { needs, account, caller }
}

// What happened in two months.
async function letTimePass(needs: World, { accountId }: Account) {
  const wish = { kind: 'advance', by: Temporal.Duration.from('P2M') } as const
  const moved = await moveClock(needs, works, {
    accountId,
    timeZone: 'America/New_York',
    wish,
    patienceMs: null,
  })
  assert.ok(moved.ok)
  return moved.value.diary.entries
}

for (const state of ['locked', 'closed'] as const) {
  test(`nothing is charged or announced for an account that is ${state}`, async () => {
    const { needs, account, caller } = await openShop()
    await lockAccount(needs, { account, state })
    assert.deepEqual(await letTimePass(needs, account), [])
    // Other work of the account may be due, such as the close of its day, and all of it is run together.
    await runDueWork(needs, dueWork, new AbortController().signal)
    for (const work of works) {
      const due = await work.accountsDue(needs, Temporal.Instant.from('2028-01-01T00:00:00Z'))
      assert.equal(due.includes(account.accountId), false)
    }
    assert.equal(await postedMinor(needs.db, caller), 0n)
  })
}

test('an account that is open again is charged what fell due meanwhile', async () => {
  const { needs, account, caller } = await openShop()
  await lockAccount(needs, { account, state: 'locked' })
  await letTimePass(needs, account)
  await lockAccount(needs, { account, state: 'open' })
  await letTimePass(needs, account)
  assert.equal(await postedMinor(needs.db, caller), 3_000n)
})

test('an account that is locked while it is collected is charged no further', async () => {
  const { needs, account, caller } = await openShop()
  await makeMerchant(needs, account)
  await makePlan(needs, caller, { MerchID: 2, NumPayments: 1, TotalAmount: 10, StartDate: '2027-01-31' })
  needs.clock.advance({ hours: 24 * 30 })
  await collectDuePayments(needs, {
    accountId: account.accountId,
    at: needs.clock.now(),
    signal: new AbortController().signal,
    tell: async () => {
      await lockAccount(needs, { account, state: 'locked' })
    },
  })
  assert.equal(await postedMinor(needs.db, caller), 1_000n)
})
