import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '#capabilities/wire/caller.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeCallerOf, postedMinor } from '../../../test/support/consent-world.ts'
import { makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// A few portions; two real nodes and 2,000 payments are a journey, test/journeys/two-nodes-collect.test.ts.
const plans = 75
const paymentsOfEach = 4
const payments = plans * paymentsOfEach

// Its own batchers, as another process would have; it dies after so many attempts and never does a thing
// again.
function engineThatDies(needs: World, attempts: number): World {
  let left = attempts
  const crashpoint = (point: string) => {
    if (point === 'after_t1') left -= 1
    if (left <= 0) throw new Crash('died')
  }
  return { ...needs, ...paymentEngine({ ...needs, crashpoint }), clock: needs.clock }
}

const secondEngine = (needs: World): World => ({ ...needs, ...paymentEngine(needs), clock: needs.clock })

test('payments processed by nodes and callers at once, one dying, are charged once each', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  await makePlans(needs, caller)
  const dying = engineThatDies(needs, 40)
  const runs = await Promise.all(
    [needs, needs, secondEngine(needs), dying].map((engine) => processDue(engine, caller)),
  )
  const told = runs
    .slice(0, 3)
    .flatMap(({ members }) => members.ApprovedPayments.map(({ SchedID }) => SchedID))
  assert.equal(new Set(told).size, told.length, 'no two callers are told of the same payment')
  await recoverAll(needs)
  await processDue(needs, caller)
  const [paid] = await needs.db.run(paidStatement, [caller.accountId])
  assert.deepEqual(paid, { paid: BigInt(payments), others: 0n })
  const standing = await standingAtBank(needs)
  assert.equal(standing.count, payments)
  assert.equal(standing.minor, await postedMinor(needs.db, caller))
  const [doubled] = await needs.db.run(doubledStatement, [caller.accountId])
  assert.equal(doubled?.doubled, 0n, 'no payment has two approvals')
})

async function makePlans(needs: World, caller: Caller): Promise<void> {
  const wish = {
    NumPayments: paymentsOfEach,
    TotalAmount: 40,
    Period: 'WEEKLY',
    StartDate: '2026-12-20',
  } as const
  // No more at once than the pool has connections: waiting for one is bounded.
  for (let made = 0; made < plans; made += 5) {
    await Promise.all(Array.from({ length: 5 }, () => makePlan(needs, caller, wish)))
  }
}

// What the dead node had begun is taken over when its lease is over, and its claims are void by then.
async function recoverAll(needs: World): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    needs.clock.advance({ seconds: 61 })
    await recoverAttempts(needs)
  }
}

const paidStatement = statement(
  'test_count_paid_instalments',
  [int8],
  { paid: int8, others: int8 },
  `select count(*) filter (where state = 'paid') as paid, count(*) filter (where state <> 'paid') as others
   from instalment where account_id = $1`,
)

const doubledStatement = statement(
  'test_count_doubled_instalments',
  [int8],
  { doubled: int8 },
  `select count(*) as doubled from (
     select f.value ->> 1 from attempt a, jsonb_array_elements(a.following) f
     where a.account_id = $1 and a.state = 'approved' and f.value ->> 0 = 'instalment'
     group by 1 having count(*) > 1) d`,
)

async function standingAtBank({ bank, clock }: World): Promise<{ count: number; minor: bigint }> {
  let count = 0
  let minor = 0n
  const now = clock.now()
  for await (const one of bank.log.report(now.subtract({ hours: 9_000 }), now.add({ hours: 1 }))) {
    if (one.kind !== 'sale' || one.reply.outcome !== 'approved' || one.reversedAt !== null) continue
    count += 1
    minor += one.reply.approvedMinor
  }
  return { count, minor }
}
