import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Attempt, NewAttempt } from '#engine/payments/attempt.ts'
import type { Follower } from '#engine/payments/follower.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import {
  amounts,
  askToCharge,
  askToRefund,
  askToVoid,
  newAttempt,
  newCredit,
  newVoid,
} from './attempt-builder.ts'
import { findViolations, type Told } from './checker.ts'
import { engineOn, openStage, recoverUntilQuiet, type Stage, testFollowers, useLane } from './lane.ts'
import { addInstalment } from './instalment-rows.ts'
import { limitFollower } from './limit-follower.ts'
import { withOrder } from './order-rows.ts'
import { orderBugs } from './planted-order-bugs.ts'
import { paymentBugs } from './planted-payment-bugs.ts'
import { toldOfPaid } from './run-case.ts'

// A checker that finds nothing proves nothing. So bugs are planted, and each must be found by its name.

type Scene = {
  readonly stage: Stage
  readonly needs: PaymentNeeds
  readonly told: Told[]
  readonly asked: { key: string | null; ref: string }[]
  readonly sale: Attempt
}

type Order = { readonly attempt: NewAttempt; readonly ask: Ask }

async function call(scene: Omit<Scene, 'sale'>, { attempt, ask }: Order): Promise<Attempt> {
  const key = attempt.callerKey?.key ?? null
  scene.asked.push({ key, ref: attempt.ref })
  const paid = await pay(scene.needs, attempt, ask)
  scene.told.push(...toldOfPaid(key, paid))
  assert(paid.kind === 'recorded')
  return paid.attempt
}

type Wish = { readonly ref: string; readonly key?: string; readonly base?: bigint }

function order({ stage }: { stage: Stage }, { ref, key, base }: Wish): NewAttempt {
  const { account, limit, time } = stage
  const following = [{ follower: 'limit', subject: limit, detail: null }]
  const asked = { amounts: amounts(base ?? 1_000n, 30n), key: key ?? null, following }
  return newAttempt({ account, ref: `${ref}-${account}`, at: time.now(), ...asked })
}

// A sale with a key, a part, a decline, one that was reversed, and one that was voided.
async function playScene(stage: Stage, needs = engineOn(stage).needs): Promise<Scene> {
  const scene = { stage, needs, told: [], asked: [] }
  const charge = async (wish: Wish, number?: string): Promise<Attempt> => {
    const attempt = await withOrder(stage.database.db, order(scene, wish))
    return call(scene, { attempt, ask: askToCharge(needs, number) })
  }
  const sale = await charge({ ref: 'sale', key: 'k1' })
  await charge({ ref: 'part', base: 990_010n })
  await charge({ ref: 'declined' }, '4000000000000002')
  stage.bank.faults.add({ verb: 'authorize', times: 1, delivery: { losesAnswer: true, hangsUp: true } })
  stage.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesRequest: true, hangsUp: true } })
  await charge({ ref: 'reversed' })
  const undone = await charge({ ref: 'undone' })
  const parent = { follower: 'parent', subject: undone.attemptId, detail: null }
  const following = [...order(scene, { ref: 'x' }).following, parent]
  const wish = { ref: `void-${stage.account}`, at: stage.time.now(), following }
  await call(scene, { attempt: newVoid(undone, wish), ask: askToVoid(needs) })
  const credited = await charge({ ref: 'credited' })
  const some = { ref: `credit-${stage.account}`, at: stage.time.now(), total: 500n, credited: amounts(0n) }
  await call(scene, { attempt: newCredit(credited, some), ask: askToRefund(needs, credited) })
  await recoverUntilQuiet(stage, [engineOn(stage)])
  return { ...scene, sale }
}

async function check({ stage, told, asked }: Scene): Promise<readonly string[]> {
  const rows = await stage.bank.log.read({ last: 1_000 })
  const bank = rows.toReversed()
  return findViolations(stage.client, { accounts: [stage.account], bank, told, asked, sendWithinMs: 45_000 })
}

const sql =
  (text: string) =>
  async ({ stage, sale }: Scene): Promise<unknown> =>
    stage.client.query(
      text.replaceAll(':sale', String(sale.attemptId)).replaceAll(':account', String(stage.account)),
    )

// What the bank sees without our knowing.
async function chargeBehindOurBack({ stage, needs, sale }: Scene, ref: string): Promise<void> {
  const attempt = { ...sale, ref: order({ stage }, { ref }).ref }
  await askToCharge(needs)(attempt, AbortSignal.timeout(5_000))
}

type Bug = readonly [invariant: string, sentence: string, plant: (scene: Scene) => Promise<unknown>]

const bugs: readonly Bug[] = [
  [
    'I1',
    'a retry that charges again under a new reference',
    async (scene) => {
      await chargeBehindOurBack(scene, 'again')
      scene.asked.push({ key: 'k1', ref: `again-${scene.stage.account}` })
    },
  ],
  ['I2', 'a charge that only the bank knows', (scene) => chargeBehindOurBack(scene, 'stranger')],
  ['I2', 'an attempt that was forgotten', sql('delete from attempt where attempt_id = :sale')],
  ['I3', 'an approval that was lost', sql(`update attempt set state = 'declined' where attempt_id = :sale`)],
  [
    'I4',
    'an approval that the bank never gave',
    sql(
      `update attempt set state = 'approved' where account_id = :account and acquirer_ref like 'declined-%'`,
    ),
  ],
  [
    'I5',
    'two different answers for one key',
    async ({ told, sale }) =>
      told.push({ key: 'k1', attempt: sale.attemptId, outcome: 'declined', amount: 0n }),
  ],
  ['I6', 'a posting that is missing', sql('delete from journal where attempt_id = :sale')],
  [
    'I6',
    'a fee that is missing from its posting',
    sql('update journal set fee_minor = 0 where attempt_id = :sale'),
  ],
  [
    'I6',
    'a fee that is posted to the merchant',
    sql(`update journal set amount_minor = amount_minor + fee_minor, fee_minor = 0
      where attempt_id = :sale`),
  ],
  [
    'I6',
    'a posting to the wrong account',
    sql(`update journal set credit = 'fees' where attempt_id = :sale`),
  ],
  [
    'I7',
    'a reservation that was never given back',
    sql('update test_limit set used = used + 1 where limit_id = :account'),
  ],
  [
    'I9',
    'an instalment that is paid by nothing',
    async ({ stage }) => {
      const id = await addInstalment(stage, 1_030n)
      await stage.client.query(`update instalment set state = 'paid' where instalment_id = ${id}`)
    },
  ],
  [
    'I9',
    'an instalment that counts a try which nobody made',
    async ({ stage }) => {
      const id = await addInstalment(stage, 1_030n)
      await stage.client.query(`update instalment set attempts = 1, tries = 1 where instalment_id = ${id}`)
    },
  ],
  [
    'I13',
    'a request that leaves after its lease',
    async (scene) => {
      const { stage, needs } = scene
      const attempt = order(scene, { ref: 'asleep' })
      await call(scene, { attempt, ask: async () => ({ kind: 'not_sent' }) })
      stage.time.advance(60_000)
      await chargeBehindOurBack({ ...scene, needs }, 'asleep')
    },
  ],
  [
    'I14',
    'an attempt that nobody looks after',
    sql(`update attempt set state = 'unknown' where attempt_id = :sale`),
  ],
  ['I15', 'an event that is missing', sql('delete from event where object_id = :sale')],
  [
    'I15',
    'an event that is told twice',
    sql(`insert into event (account_id, type, object_id, body, created_at)
      select account_id, type, object_id, body, created_at from event where object_id = :sale`),
  ],
  ...paymentBugs.map(([invariant, sentence, text]): Bug => [invariant, sentence, sql(text)]),
  ...orderBugs.map(([sentence, text]): Bug => ['I18', sentence, sql(text)]),
  [
    'I16',
    'a fence that goes back',
    sql(`update attempt_event e set fence = 1 from attempt a where a.attempt_id = e.attempt_id
      and a.account_id = :account and e.to_state = 'reversed'`),
  ],
  [
    'I16',
    'a move that the table does not have',
    sql(`insert into attempt_event (attempt_id, from_state, to_state, fence, cause, is_late, happened_at)
      values (:sale, 'declined', 'approved', 1, '', false, '2027-01-15')`),
  ],
]

async function names(scene: Scene): Promise<readonly string[]> {
  return (await check(scene)).map((violation) => violation.split(' ')[0] ?? '')
}

describe('the checker finds what is planted', () => {
  const lane = useLane()
  // Some bugs are planted in rows that nobody can change otherwise.
  before(() => lane().client.query('set session_replication_role = replica'))

  async function stageFor(name: string): Promise<Stage> {
    return openStage(lane(), name)
  }

  test('nothing, where nothing is planted', async () => {
    assert.deepEqual(await check(await playScene(await stageFor('clean'))), [])
  })

  for (const [invariant, sentence, plant] of bugs) {
    test(`${invariant}: ${sentence}`, async () => {
      const scene = await playScene(await stageFor(sentence))
      await plant(scene)
      const found = await names(scene)
      assert.ok(found.includes(invariant), found.join(', '))
    })
  }

  test('I4: an engine that takes silence for a decline', async () => {
    const stage = await stageFor('silence')
    const { needs } = engineOn(stage)
    const authorize: PaymentNeeds['acquirer']['authorize'] = async (request, signal) => {
      const answer = await needs.acquirer.authorize(request, signal)
      const decline = { kind: 'declined', code: '96', checks: { avs: '', cvv: '' } } as const
      return answer.kind === 'unknown' ? decline : answer
    }
    const scene = await playScene(stage, { ...needs, acquirer: { ...needs.acquirer, authorize } })
    const found = await names(scene)
    assert.ok(found.includes('I4') && found.includes('I2'), found.join(', '))
  })

  test('I7: a follower that gives back twice', async () => {
    const stage = await stageFor('twice')
    const generous: Follower = {
      ...limitFollower,
      begin: (tx, starts) =>
        limitFollower.begin(
          tx,
          starts.map((start) => ({ ...start, detail: null })),
        ),
      follow: (tx, moved) => {
        const again = moved.filter(({ move }) => move.to === 'partial')
        return Promise.all([limitFollower.follow(tx, moved), limitFollower.follow(tx, again)])
      },
    }
    const followers = testFollowers.map((one) => (one.name === 'limit' ? generous : one))
    const scene = await playScene(stage, paymentEngine({ ...engineOn(stage).needs, followers }))
    const found = await names(scene)
    assert.ok(found.includes('I7'), found.join(', '))
  })

  test('I8: a view of payments that shows another amount', async () => {
    const { client } = lane()
    const scene = await playScene(await stageFor('view'))
    const { rows } = await client.query<{ text: string }>(`select pg_get_viewdef('payment') as text`)
    const wrong = rows[0]?.text.replaceAll('approved_minor', 'total_minor')
    await client.query(`begin; create or replace view payment as ${wrong}`)
    const found = await names(scene).finally(() => client.query('rollback'))
    assert.deepEqual([...new Set(found)], ['I8'])
  })

  test('I14: an engine whose recoverer never runs', async () => {
    const stage = await stageFor('no recoverer')
    const scene = await playScene(stage)
    await scene.needs.attempts.add(order(scene, { ref: 'left' }))
    const found = await names(scene)
    assert.ok(found.includes('I14'), found.join(', '))
    await recoverUntilQuiet(stage, [engineOn(stage)])
  })
})
