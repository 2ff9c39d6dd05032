import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  announceUpcomingWork,
  collectDuePaymentsWork,
} from '#capabilities/collection/collect-due-payments.task.ts'
import { listDisputes } from '#capabilities/disputes/collect-disputes.operation.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { runDueWork } from '#engine/account-clock/run-due-work.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { credit, eventsOf, openTill, sell, settleAll, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

async function runDue({ needs, account }: Till): Promise<readonly string[]> {
  const diary = await runDueNow(needs, collectDisputesWork, account.accountId)
  return diary.map(({ what, text: words }) => `${what}: ${words}`)
}

const balancesStatement = statement(
  'test_balances_after_disputes',
  [int8],
  { name: text, balance: int8 },
  `select name, sum(amount)::int8 as balance
   from (
     select debit as name, amount_minor as amount from posting where account_id = $1
     union all select credit, -amount_minor from posting where account_id = $1
   ) as side
   group by name having sum(amount) <> 0 order by name`,
)

async function booksOf({ needs, account }: Till): Promise<readonly string[]> {
  const rows = await needs.db.run(balancesStatement, [account.accountId])
  return rows.map(({ name, balance }) => `${name} ${balance}`)
}

test('a sale of 9900.40 is charged back on the third day, and lost ten days later', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 9900.4)
  await sell(till, 100)
  await settleAll(till)
  till.needs.clock.advance({ hours: 71 })
  assert.deepEqual(await runDue(till), [])
  till.needs.clock.advance({ hours: 1 })
  const due = await collectDisputesWork.accountsDue(till.needs, till.needs.clock.now())
  assert(due.includes(till.account.accountId))
  const told = `The dispute of 9900.40 USD on transaction ${sale} is opened for reason 10.4`
  assert.deepEqual(await runDue(till), [`dispute.opened: ${told}`])
  assert.deepEqual(await runDue(till), [], 'once')
  assert.deepEqual(await booksOf(till), ['acquirer 10000', 'disputes 990040', 'merchant -1000040'])
  till.needs.clock.advance({ hours: 240 })
  assert.equal((await runDue(till)).length, 1)
  assert.deepEqual(await booksOf(till), ['acquirer 10000', 'merchant -10000'])
  assert((await verifyLedger(till.needs.db)).isSound)
  const events = (await eventsOf(till)).filter((type) => type.startsWith('dispute'))
  assert.deepEqual(events, ['dispute.opened', 'dispute.closed'])
  const [dispute] = await listDisputes(till.needs, till.account.accountId, 10)
  assert.deepEqual(
    [dispute?.paymentId, dispute?.reasonCode, dispute?.state, String(dispute?.openedAt)],
    [BigInt(sale), '10.4', 'lost', '2027-01-18T10:00:00Z'],
  )
})

test('a sale of 9900.42 is charged back and won', async () => {
  const till = await openTill(world())
  await sell(till, 9900.42)
  till.needs.clock.advance({ hours: 24 * 14 })
  assert.equal((await runDue(till)).length, 2, 'what was missed is opened and closed')
  assert.deepEqual(await booksOf(till), ['acquirer 990042', 'merchant -990042'])
  const [dispute] = await listDisputes(till.needs, till.account.accountId, 10)
  assert.equal(dispute?.state, 'won')
})

test('the next dispute is told, and another account has none', async () => {
  const needs = world()
  const [till, other] = [await openTill(needs), await openTill(needs)]
  await sell(till, 9900.4)
  const after = needs.clock.now()
  const until = after.add({ hours: 24 * 5 })
  const next = (one: Till) =>
    collectDisputesWork.nextDue(needs, { accountId: one.account.accountId, after, until })
  assert.equal(String(await next(till)), '2027-01-18T10:00:00Z')
  assert.equal(await next(other), null)
  needs.clock.advance({ hours: 24 * 5 })
  assert.deepEqual(await runDue(other), [])
  assert.equal((await runDue(till)).length, 1)
})

test('a sale that was charged back is neither credited nor voided, unless the dispute was won', async () => {
  const till = await openTill(world())
  const [lost, won] = [await sell(till, 9900.4), await sell(till, 9900.42)]
  till.needs.clock.advance({ hours: 72 })
  assert.equal((await runDue(till)).length, 2)
  const told = (done: string) => `Transaction ${lost} cannot be ${done}: the payer's bank has charged it back`
  assert.equal((await credit(till, lost, 1)).text, told('credited'))
  assert.equal((await undo(till, lost)).text, told('voided'))
  till.needs.clock.advance({ hours: 240 })
  assert.equal((await runDue(till)).length, 2)
  assert.equal((await credit(till, lost, 1)).text, told('credited'))
  assert.equal((await credit(till, won, 1)).code, 0)
})

test('a bank whose clock is a little behind disputes at the same moment', async () => {
  const till = await openTill(world())
  const { acquirer: bank } = till.needs
  const acquirer: typeof bank = {
    ...bank,
    disputes: (from, to) => bank.disputes(from, to.subtract({ seconds: 30 })),
  }
  await sell(till, 9900.4)
  till.needs.clock.advance({ hours: 72 })
  assert.equal((await runDue({ ...till, needs: { ...till.needs, acquirer } })).length, 1)
})

test('a sale that was given back is not charged back as well', async () => {
  const till = await openTill(world())
  await credit(till, await sell(till, 9900.4), 9900.4)
  till.needs.clock.advance({ hours: 24 * 5 })
  assert.deepEqual(await runDue(till), [])
})

test('a round reads what the acquirer tells once, however many accounts it serves', async () => {
  const needs = world()
  const tills = [await openTill(needs), await openTill(needs), await openTill(needs)]
  for (const till of tills) await sell(till, 9900.4)
  needs.clock.advance({ hours: 72 })
  let readings = 0
  const acquirer: typeof needs.acquirer = {
    ...needs.acquirer,
    disputes: (from, to) => {
      readings += 1
      return needs.acquirer.disputes(from, to)
    },
  }
  await runDueWork({ ...needs, acquirer }, [collectDisputesWork], new AbortController().signal)
  for (const till of tills) assert((await eventsOf(till)).includes('dispute.opened'))
  assert.equal(readings, 1)
})

async function moveAMonth({ needs, account: { accountId } }: Till) {
  const works = [announceUpcomingWork, collectDuePaymentsWork, collectDisputesWork]
  const wish = { kind: 'advance', by: Temporal.Duration.from('P1M') } as const
  const moved = await moveClock(needs, works, { accountId, timeZone: 'UTC', wish, patienceMs: null })
  assert(moved.ok)
  return moved.value.diary.entries.map(({ at, what }) => `${at.toString().slice(0, 10)} ${what}`)
}

test('when the clock is moved, a dispute ends before what is due after it', async () => {
  const till = await openTill(world())
  await sell(till, 9900.4)
  await makePlan(till.needs, till.caller, { StartDate: '2027-02-10', NumPayments: 1 })
  const diary = [
    '01-18 dispute.opened',
    '01-28 dispute.closed',
    '02-07 schedule.upcoming',
    '02-10 schedule.paid',
  ]
  assert.deepEqual(
    await moveAMonth(till),
    diary.map((line) => `2027-${line}`),
  )
  const told = diary.map((line) => line.slice(6))
  const events = await eventsOf(till)
  assert.deepEqual(
    events.filter((type) => told.includes(type)),
    told,
    'events are written in the same order',
  )
})

test('what is charged on the way is charged back on the way', async () => {
  const till = await openTill(world())
  await makePlan(till.needs, till.caller, { StartDate: '2027-01-20', NumPayments: 1, TotalAmount: 9900.4 })
  await makePlan(till.needs, till.caller, { StartDate: '2027-02-10', NumPayments: 1 })
  await moveAMonth(till)
  const told = (await eventsOf(till)).filter((type) => /^(dispute|schedule)/.test(type))
  assert.deepEqual(told, [
    'schedule.upcoming',
    'schedule.paid',
    'dispute.opened',
    'dispute.closed',
    'schedule.upcoming',
    'schedule.paid',
  ])
})
