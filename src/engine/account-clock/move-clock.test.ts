import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiaryEntry, DueWork } from '#engine/account-clock/due-work.ts'
import { type ClockWish, moveClock, showClock } from '#engine/account-clock/move-clock.operation.ts'
import { runDueWork } from '#engine/account-clock/run-due-work.operation.ts'
import { inTurn } from '#engine/account-clock/take-turn.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { makeAccount, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const untouched = new AbortController().signal

type Reminder = { readonly accountId: AccountId; readonly at: string }
type Reminders = DueWork<World> & { readonly done: string[]; readonly shown: string[] }

// Work that only notes when it was due, and what the account's clock showed.
function reminders(name: string, ...open: Reminder[]): Reminders {
  const done: string[] = []
  const shown: string[] = []
  const isOpen = ({ at }: Reminder) => !done.includes(at)
  const of = (accountId: AccountId) => open.filter((one) => one.accountId === accountId && isOpen(one))
  return {
    name,
    done,
    shown,
    accountsDue: async (_, at) =>
      open.filter((one) => isOpen(one) && one.at <= at.toString()).map(({ accountId }) => accountId),
    nextDue: async (_, { accountId, after, until }) => {
      const times = of(accountId).map(({ at }) => at)
      const next = times.toSorted().find((at) => at > after.toString() && at <= until.toString())
      return next === undefined ? null : Temporal.Instant.from(next)
    },
    runDue: async ({ accountClock }, { accountId, at, tell }) => {
      const due = of(accountId).filter((one) => one.at <= at.toString())
      done.push(...due.map((one) => one.at))
      shown.push(...due.map(() => accountClock.now(accountId).toString()))
      await tell(
        due.map((one): DiaryEntry => {
          return { at: Temporal.Instant.from(one.at), what: name, subject: null, text: `${name} was due` }
        }),
      )
    },
  }
}

const aDay: ClockWish = { kind: 'advance', by: Temporal.Duration.from('P1D') }
const to = (moment: string): ClockWish => ({ kind: 'set', to: Temporal.Instant.from(moment) })

function move(
  needs: World,
  works: readonly DueWork<World>[],
  { accountId, wish, patienceMs = null }: Move,
): ReturnType<typeof moveClock> {
  return moveClock(needs, works, { accountId, timeZone: 'America/New_York', wish, patienceMs })
}
type Move = { readonly accountId: AccountId; readonly wish: ClockWish; readonly patienceMs?: number | null }

async function moved(needs: World, works: readonly DueWork<World>[], order: Move) {
  const result = await move(needs, works, order)
  assert.ok(result.ok)
  return result.value
}

test('a sandbox account has a clock of its own, which other accounts do not notice', async () => {
  const needs = world()
  const [ahead, present] = [await makeAccount(needs), await makeAccount(needs)]
  const { now } = await moved(needs, [], { accountId: ahead.accountId, wish: to('2028-02-29T12:00:00Z') })
  assert.equal(now.toString(), '2028-02-29T12:00:00Z')
  assert.equal(needs.accountClock.now(ahead.accountId).toString(), '2028-02-29T12:00:00Z')
  assert.equal(needs.accountClock.now(present.accountId).toString(), '2027-01-15T10:00:00Z')
  needs.clock.advance({ minutes: 5 })
  assert.equal(needs.accountClock.now(ahead.accountId).toString(), '2028-02-29T12:05:00Z')
})

test('what falls due on the way is done in order of time, each at its own moment', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const moments = ['2027-01-20T08:00:00Z', '2027-01-17T08:00:00Z', '2027-03-01T08:00:00Z']
  const plans = reminders('plan', ...moments.map((at) => ({ accountId, at })))
  const batches = reminders('batch', { accountId, at: '2027-01-17T23:00:00Z' })
  const { diary } = await moved(needs, [plans, batches], { accountId, wish: to('2027-02-01T00:00:00Z') })
  assert.deepEqual(
    diary.entries.map(({ at, what }) => `${at} ${what}`),
    ['2027-01-17T08:00:00Z plan', '2027-01-17T23:00:00Z batch', '2027-01-20T08:00:00Z plan'],
  )
  assert.deepEqual(plans.shown, ['2027-01-17T08:00:00Z', '2027-01-20T08:00:00Z'])
})

test('what was overdue when the move began is told in order of time as well', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const half = reminders('listed first', { accountId, at: '2027-01-15T09:30:00Z' })
  const nine = reminders('due first', { accountId, at: '2027-01-15T09:00:00Z' })
  const { diary } = await moved(needs, [half, nine], { accountId, wish: aDay })
  assert.deepEqual(
    diary.entries.map(({ what }) => what),
    ['due first', 'listed first'],
  )
})

test('a day and a month have the length that they have where the merchant is', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  await moved(needs, [], { accountId, wish: to('2027-03-13T17:00:00Z') })
  const { now } = await moved(needs, [], { accountId, wish: aDay })
  assert.equal(now.toString(), '2027-03-14T16:00:00Z', 'noon in New York, although the day had 23 hours')
})

const refused: readonly (readonly [string, ClockWish, string])[] = [
  ['back', to('2027-01-15T09:59:59Z'), 'clock_goes_forward'],
  [
    'back by a negative duration',
    { kind: 'advance', by: Temporal.Duration.from('-P1D') },
    'clock_goes_forward',
  ],
  ['by more than ten years', { kind: 'advance', by: Temporal.Duration.from('P10Y1D') }, 'clock_too_far'],
]
for (const [how, wish, kind] of refused) {
  test(`no clock is moved ${how}`, async () => {
    const needs = world()
    const { accountId } = await makeAccount(needs)
    const result = await move(needs, [], { accountId, wish })
    assert.equal(!result.ok && result.refusal.kind, kind)
    assert.equal(needs.accountClock.now(accountId).toString(), '2027-01-15T10:00:00Z')
  })
}

test('live accounts go by real time, and nobody moves it', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  await moved(needs, [], { accountId, wish: aDay })
  const live = { ...needs, keyRing: { ...needs.keyRing, mode: 'live' as const } }
  const result = await move(live, [], { accountId, wish: aDay })
  assert.equal(!result.ok && result.refusal.kind, 'clock_is_live')
})

test('while one moves a clock, another is refused and nothing is done twice', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const plans = reminders('plan', { accountId, at: '2027-01-15T12:00:00Z' })
  const other: DueWork<World> = {
    ...plans,
    runDue: async (_, due) => {
      const rival = await move(needs, [plans], { accountId, wish: aDay })
      assert.equal(!rival.ok && rival.refusal.kind, 'clock_is_moving')
      return plans.runDue(needs, due)
    },
  }
  await moved(needs, [other], { accountId, wish: aDay })
  assert.deepEqual(plans.done, ['2027-01-15T12:00:00Z'])
})

test('a move whose process died is finished by the next round, with one diary', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const moments = ['2027-01-16T00:00:00Z', '2027-01-17T00:00:00Z']
  const plans = reminders('plan', ...moments.map((at) => ({ accountId, at })))
  const dying: DueWork<World> = {
    ...plans,
    runDue: async (_, due) => {
      await plans.runDue(needs, due)
      // The last word of a process that is gone: it neither ends its turn nor moves on.
      if (plans.done.length > 0) await new Promise(() => undefined)
    },
  }
  void move(needs, [dying], { accountId, wish: to('2027-01-20T00:00:00Z') })
  while (plans.done.length === 0) await showClock(needs, accountId)
  const stuck = await showClock(needs, accountId)
  assert.deepEqual([stuck.now, stuck.movingTo].map(String), [moments[0], '2027-01-20T00:00:00Z'])

  await runDueWork(needs, [plans], untouched)
  assert.equal(plans.done.length, 1, 'its turn is not over yet')
  needs.clock.advance({ minutes: 1 })
  await runDueWork(needs, [plans], untouched)
  const { now, movingTo } = await showClock(needs, accountId)
  assert.deepEqual([now.toString(), movingTo], ['2027-01-20T00:00:00Z', null])
  assert.deepEqual(plans.done, moments)
})

test('an advance that is sent again after a crash only finishes the first', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const moments = ['2027-01-16T00:00:00Z', '2027-01-17T00:00:00Z']
  const plans = reminders('plan', ...moments.map((at) => ({ accountId, at })))
  const week: ClockWish = { kind: 'advance', by: Temporal.Duration.from('P7D') }
  const half = await moved(needs, [plans], { accountId, wish: week, patienceMs: 0 })
  assert.equal(String(half.movingTo), '2027-01-22T10:00:00Z')
  const whole = await moved(needs, [plans], { accountId, wish: week })
  assert.deepEqual([whole.now.toString(), whole.movingTo], ['2027-01-22T10:00:00Z', null])
  assert.deepEqual(
    whole.diary.entries.map(({ at }) => at.toString()),
    moments,
  )
})

test('as real time passes, due work runs by the clock of each account, missed days included', async () => {
  const needs = world()
  const [ahead, present, later] = [
    await makeAccount(needs),
    await makeAccount(needs),
    await makeAccount(needs),
  ]
  await moved(needs, [], { accountId: ahead.accountId, wish: to('2027-06-01T00:00:00Z') })
  const plans = reminders(
    'plan',
    { accountId: ahead.accountId, at: '2027-05-31T00:00:00Z' },
    { accountId: present.accountId, at: '2027-01-12T00:00:00Z' },
    { accountId: later.accountId, at: '2027-05-30T00:00:00Z' },
  )
  await runDueWork(needs, [plans], untouched)
  assert.deepEqual(plans.done.toSorted(), ['2027-01-12T00:00:00Z', '2027-05-31T00:00:00Z'])
})

test('two nodes run the due work of an account one after the other', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const plans = reminders('plan', { accountId, at: '2027-01-15T09:00:00Z' })
  await inTurn(needs, { accountId, signal: null }, async () => {
    await runDueWork(needs, [plans], untouched)
    assert.deepEqual(plans.done, [])
  })
  await runDueWork(needs, [plans], untouched)
  assert.equal(plans.done.length, 1)
})

test('work that fails is told, tried again and keeps nothing else from running', async () => {
  const needs = world()
  const { accountId } = await makeAccount(needs)
  const due = { accountId, at: '2027-01-15T12:00:00Z' }
  const broken: DueWork<World> = {
    ...reminders('broken', due),
    runDue: () => Promise.reject(new Error('out of order')),
  }
  const plans = reminders('plan', due)
  const { diary, now } = await moved(needs, [broken, plans], { accountId, wish: aDay })
  assert.equal(now.toString(), '2027-01-16T10:00:00Z')
  assert.deepEqual(new Set(diary.entries.map(({ what }) => what)), new Set(['work.failed', 'plan']))
  assert.ok(needs.lines.some(({ text }) => text.startsWith('Work that is due has failed')))
})

async function silent(): Promise<never> {
  throw new Error('The feed is broken')
}

test('work that cannot say what is due keeps nothing else from running', async () => {
  const needs = world()
  const [present, ahead] = [await makeAccount(needs), await makeAccount(needs)]
  await moved(needs, [], { accountId: ahead.accountId, wish: aDay })
  const broken: DueWork<World> = { name: 'broken', accountsDue: silent, nextDue: silent, runDue: silent }
  const plans = reminders(
    'plan',
    { accountId: present.accountId, at: '2027-01-15T09:00:00Z' },
    { accountId: ahead.accountId, at: '2027-01-16T09:00:00Z' },
  )
  await runDueWork(needs, [broken, plans], untouched)
  assert.deepEqual(plans.done.toSorted(), ['2027-01-15T09:00:00Z', '2027-01-16T09:00:00Z'])
  assert(needs.lines.some(({ text }) => text === 'Nobody knows what is due of one kind of work'))
})
