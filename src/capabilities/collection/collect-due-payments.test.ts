import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  announceUpcomingWork,
  collectDuePaymentsWork,
} from '#capabilities/collection/collect-due-payments.task.ts'
import { collectDuePayments } from '#capabilities/collection/collect-due-payments.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { DiaryEntry } from '#engine/account-clock/due-work.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { bankMinor, makeCaller, makeCallerOf, postedMinor } from '../../../test/support/consent-world.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { advanceTo, instalmentsOf, makePlan, scheduleEventsOf } from '../../../test/support/plan-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const works = [announceUpcomingWork, collectDuePaymentsWork]

// Lets time pass on the account's clock, as the sandbox does.
async function advance(needs: World, { accountId }: Caller, by: string): Promise<readonly DiaryEntry[]> {
  const moved = await moveClock(needs, works, {
    accountId,
    timeZone: 'America/New_York',
    wish: { kind: 'advance', by: Temporal.Duration.from(by) },
    patienceMs: null,
  })
  assert.ok(moved.ok)
  return moved.value.diary.entries
}

function collect(needs: World, { accountId }: Caller): Promise<readonly DiaryEntry[]> {
  return runDueNow(needs, collectDuePaymentsWork, accountId)
}

const told = (diary: readonly DiaryEntry[], what: string) => diary.filter((entry) => entry.what === what)

test('a year passes: 12 payments on their days, each announced before, the books in balance', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const plan = await makePlan(needs, caller, { NumPayments: 12, TotalAmount: 1000, StartDate: '2027-01-31' })
  const diary = await advance(needs, caller, 'P1Y')
  const paid = told(diary, 'schedule.paid')
  assert.deepEqual(
    paid.map(({ at }) => at.toZonedDateTimeISO('America/New_York').toPlainDateTime().toString()),
    plan.schedule.map(({ paymentDate }) => `${paymentDate.slice(0, 10)}T03:00:00`),
  )
  const announced = told(diary, 'schedule.upcoming')
  assert.equal(announced.length, 12)
  // The id that tillgate plan show takes.
  for (const [at, { text }] of [...paid.entries(), ...announced.entries()])
    assert(text.startsWith(`Payment ${at + 1} of the plan of consent ${plan.consent}: `), text)
  assert.deepEqual([await postedMinor(needs.db, caller), await bankMinor(needs)], [100_000n, 100_000n])
  const events = await scheduleEventsOf(needs.db, caller)
  assert.equal(events.filter(({ type }) => type === 'schedule.upcoming').length, 12)
  assert.equal(events.filter(({ type }) => type === 'schedule.paid').length, 12)
})

test('a payment that is made on the day of its announcement is told of after it was made', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  advanceTo(needs, '2027-01-15T18:13:00Z')
  await makePlan(needs, caller, { StartDate: '2027-01-17', NumPayments: 1 })
  needs.clock.advance({ minutes: 1 })
  const [entry] = await advance(needs, caller, 'P1M')
  assert.deepEqual([entry?.what, entry?.at.toString()], ['schedule.upcoming', '2027-01-15T18:13:00Z'])
})

test('a card that is refused twice for want of funds is tried on days 1 and 3, and then pays', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 2, TotalAmount: 100, StartDate: '2027-01-31', card: '4000000000009268' }
  const plan = await makePlan(needs, caller, wish)
  await advance(needs, caller, 'P17D')
  const [first] = await instalmentsOf(needs.db, plan.consent)
  assert.deepEqual(
    [first?.state, first?.tries, first?.due_on, first?.attempt_on, first?.because],
    ['scheduled', 2, '2027-01-31', '2027-02-03', 'Declined 51: retry 2 of 4 on 2027-02-03'],
  )
  const diary = await advance(needs, caller, 'P40D')
  const tries = (await scheduleEventsOf(needs.db, caller)).filter(({ type }) => type !== 'schedule.upcoming')
  assert.deepEqual(
    tries.map(({ type, body }) => [type, body['payment'], body['nextOn']]),
    [
      ['schedule.retry_planned', '1', '2027-02-01'],
      ['schedule.retry_planned', '1', '2027-02-03'],
      ['schedule.paid', '1', ''],
      ['schedule.retry_planned', '2', '2027-03-01'],
      ['schedule.retry_planned', '2', '2027-03-03'],
      ['schedule.paid', '2', ''],
    ],
  )
  const rows = await instalmentsOf(needs.db, plan.consent)
  assert.deepEqual(
    rows.map(({ state, tries: count }) => [state, count]),
    [
      ['paid', 3],
      ['paid', 3],
    ],
  )
  assert.equal(told(diary, 'schedule.retry_planned').length, 2)
  assert.equal(await bankMinor(needs), 10_000n)
})

test('retries that are used up leave the payment failed, and say so once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const plan = await makePlan(needs, caller, {
    NumPayments: 1,
    StartDate: '2027-01-20',
    card: '4000000000000341',
  })
  await advance(needs, caller, 'P30D')
  const [row] = await instalmentsOf(needs.db, plan.consent)
  assert.deepEqual(
    [row?.state, row?.tries, row?.because],
    ['failed', 5, 'Declined 05: all 4 retries are used up'],
  )
  const events = (await scheduleEventsOf(needs.db, caller)).map(({ type }) => type)
  assert.deepEqual(events, [
    'schedule.upcoming',
    'schedule.retry_planned',
    'schedule.retry_planned',
    'schedule.retry_planned',
    'schedule.retry_planned',
    'schedule.failed',
  ])
})

describe('a network that says stop ends the plan', () => {
  for (const [card, code] of [
    ['4000000000009235', 'R0'],
    ['4000000000009243', 'R1'],
    ['4000000000009250', 'R3'],
  ] as const) {
    test(code, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const plan = await makePlan(needs, caller, { card, NumPayments: 4, Period: 'WEEKLY' })
      await advance(needs, caller, 'P60D')
      const rows = await instalmentsOf(needs.db, plan.consent)
      assert.deepEqual(
        rows.map(({ state, tries }) => [state, tries]),
        [
          ['failed', 1],
          ['cancelled', 0],
          ['cancelled', 0],
          ['cancelled', 0],
        ],
      )
      assert.equal(rows[1]?.because, `Declined ${code}: the plan ends`)
    })
  }

  for (const [advice, card, means] of [
    ['03', '5454545454545454', 'do not try again'],
    ['21', '5424000000000015', 'the payment was cancelled by the payer'],
  ] as const) {
    test(`Mastercard's advice ${advice}`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const plan = await makePlan(needs, caller, { card, Period: 'WEEKLY' })
      await advance(needs, caller, 'P60D')
      const rows = await instalmentsOf(needs.db, plan.consent)
      assert.deepEqual(
        rows.map(({ state, tries }) => [state, tries]),
        [
          ['failed', 1],
          ['cancelled', 0],
          ['cancelled', 0],
        ],
      )
      assert.equal(rows[0]?.because, `Declined 05, advice ${advice} (${means}): the plan ends`)
    })
  }
})

test("a retry waits as long as Mastercard's advice says", async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { card: '5431111111111111', NumPayments: 1, StartDate: '2027-01-20' }
  const plan = await makePlan(needs, caller, wish)
  await advance(needs, caller, 'P6D')
  const [row] = await instalmentsOf(needs.db, plan.consent)
  assert.deepEqual([row?.state, row?.tries, row?.attempt_on], ['scheduled', 1, '2027-01-24'])
  assert.equal(row?.because, 'Declined 51, advice 27 (try again after 4 days): retry 1 of 4 on 2027-01-24')
})

test("a card that is past its expiry on the account's calendar is not charged any more", async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 2, TotalAmount: 100, StartDate: '2027-12-31', expYear: 2027 }
  const plan = await makePlan(needs, caller, wish)
  await advance(needs, caller, 'P14M')
  const [last, expired] = await instalmentsOf(needs.db, plan.consent)
  assert.deepEqual([last?.state, expired?.state], ['paid', 'failed'])
  assert.equal(expired?.tries, 0, 'nobody was asked')
  assert.equal(await bankMinor(needs), 5_000n)
})

test('a subscription goes on as it runs, twelve payments ahead of itself', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 0, TotalAmount: 9.99, Period: 'WEEKLY', StartDate: '2027-01-20' } as const
  const plan = await makePlan(needs, caller, wish)
  await advance(needs, caller, 'P26W')
  const rows = await instalmentsOf(needs.db, plan.consent)
  const paid = rows.filter(({ state }) => state === 'paid')
  assert.equal(paid.length, 26)
  assert.equal(rows.length, 26 + 12)
  assert.equal(rows.at(-1)?.due_on, '2027-10-06')
  assert.equal(await bankMinor(needs), 26n * 999n)
})

test('days on which the gateway was down are caught up once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const plan = await makePlan(needs, caller, { NumPayments: 3, Period: 'WEEKLY', StartDate: '2027-01-20' })
  advanceTo(needs, '2027-02-04T12:00:00Z')
  const first = await Promise.all([collect(needs, caller), collect(needs, caller)])
  assert.equal(first.flat().length, 3)
  assert.deepEqual(await collect(needs, caller), [])
  const rows = await instalmentsOf(needs.db, plan.consent)
  assert.ok(rows.every(({ state, tries }) => state === 'paid' && tries === 1))
})

test('a record that does not collect by itself is left alone, and is announced all the same', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeMerchant(needs, account, { collectsAutomatically: false })
  const caller = await makeCaller(needs, account)
  const plan = await makePlan(needs, caller, { MerchID: 2, StartDate: '2027-01-20', NumPayments: 1 })
  const diary = await advance(needs, caller, 'P10D')
  assert.deepEqual(
    diary.map(({ what }) => what),
    ['schedule.upcoming'],
  )
  assert.equal((await instalmentsOf(needs.db, plan.consent))[0]?.state, 'scheduled')
})

test('who has something due is found for a zone where it is tomorrow already', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeMerchant(needs, account, { timeZone: 'Pacific/Kiritimati', collectsAtMinute: 30 })
  const caller = await makeCaller(needs, account)
  await makePlan(needs, caller, { MerchID: 2, StartDate: '2027-01-20' })
  const span = {
    accountId: caller.accountId,
    after: needs.clock.now(),
    until: needs.clock.now().add({ hours: 240 }),
  }
  const next = await collectDuePaymentsWork.nextDue(needs, span)
  assert.equal(next?.toString(), '2027-01-19T10:30:00Z')
  assert.ok(next)
  const accounts = await collectDuePaymentsWork.accountsDue(needs, next)
  assert.ok(accounts.includes(caller.accountId))
  assert.equal(
    await collectDuePaymentsWork.nextDue(needs, { ...span, after: next, until: next.add({ hours: 24 }) }),
    null,
  )
})

test('however many are due, a run tells of them a stretch at a time and holds no more', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const wish = { NumPayments: 300, TotalAmount: 3000, Period: 'WEEKLY', StartDate: '2027-01-20' } as const
  const plan = await makePlan(needs, caller, wish)
  advanceTo(needs, '2033-01-01T12:00:00Z')
  const stretches: number[] = []
  const due = {
    accountId: caller.accountId,
    at: needs.accountClock.now(caller.accountId),
    signal: new AbortController().signal,
    tell: async (entries: readonly DiaryEntry[]) => void stretches.push(entries.length),
  }
  await collectDuePayments(needs, due, 1)
  assert.deepEqual(stretches, [128, 128, 44])
  const rows = await instalmentsOf(needs.db, plan.consent)
  assert.ok(rows.every(({ state, tries }) => state === 'paid' && tries === 1))
})

test('what cannot be sent is told as such, once, and left for the next day', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const wish = { NumPayments: 130, TotalAmount: 1300, Period: 'WEEKLY', StartDate: '2027-01-20' } as const
  await makePlan(needs, caller, wish)
  advanceTo(needs, '2030-01-01T12:00:00Z')
  const acquirer: World['acquirer'] = { ...needs.acquirer, authorize: async () => ({ kind: 'not_sent' }) }
  const diary = await collect({ ...needs, acquirer }, caller)
  assert.equal(told(diary, 'schedule.not_sent').length, 130)
  assert.deepEqual(await collect(needs, caller), [])
})
