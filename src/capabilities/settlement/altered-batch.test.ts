import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Crash } from '#engine/payments/payment-needs.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, settleSome } from '../../../test/support/till.ts'

const world = useWorld()

const raiseStatement = statement(
  'test_raise_payment',
  [int8],
  {},
  `update attempt set approved_minor = approved_minor + 100 where attempt_id = $1`,
)
const doubleStatement = statement(
  'test_post_and_take_back',
  [int8],
  { done: text },
  `insert into journal (attempt_id, account_id, merchant_number, debit, credit, amount_minor, currency,
     created_at)
   select attempt_id, account_id, merchant_number, i.debit, i.credit, 500, currency, created_at
   from posting, (values ('acquirer', 'merchant'), ('merchant', 'acquirer')) as i (debit, credit)
   where attempt_id = $1
   returning 'yes' as done`,
)

test('a batch whose rows were changed between its close and its first sending is not sent', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 10)
  const mortal: World = {
    ...till.needs,
    crashpoint: (point) => {
      if (point === 'batch_closed') throw new Crash(point)
    },
  }
  await assert.rejects(settleAll({ ...till, needs: mortal }), Crash)
  await till.needs.db.run(raiseStatement, [BigInt(sale)])
  till.needs.clock.advance({ minutes: 2 })
  const told = await settleAll(till)
  assert.equal(told.code, 6404)
  assert.match(told.text, /is not sent: its transactions are not what was closed$/)
  const sent = (await till.needs.bank.log.read({ last: 100 })).filter(({ verb }) => verb === 'settle')
  assert.deepEqual(sent, [])
})

test('a transaction whose postings only sum up to what is right is named', async () => {
  const till = await openTill(world())
  const [good, bad] = [await sell(till, 10), await sell(till, 20)]
  await till.needs.db.run(doubleStatement, [BigInt(bad)])
  const told = `The books do not agree with transaction ${bad}; nothing was settled`
  assert.deepEqual([(await settleAll(till)).text, (await settleSome(till, [good, bad])).text], [told, told])
  assert.equal((await settleSome(till, [good])).isApproved, true)
})

test('the wrong transaction that is named is one of those that were', async () => {
  const till = await openTill(world())
  const [first, second] = [await sell(till, 10), await sell(till, 20)]
  for (const id of [first, second]) await till.needs.db.run(raiseStatement, [BigInt(id)])
  assert.match((await settleSome(till, [second])).text, new RegExp(`transaction ${second};`))
})
