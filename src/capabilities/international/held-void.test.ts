import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt } from '#engine/payments/decide-attempt.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { failingWhere, runDueNow } from '../../../test/support/due-work.ts'
import { buy, findRecords, openShop } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call } from '../../../test/support/till.ts'

const world = useWorld()

const findVoidStatement = statement(
  'test_find_void',
  [int8],
  { attempt_id: int8 },
  `select attempt_id from attempt where account_id = $1 and kind = 'void'`,
)

test('an order whose void waits for an operator costs no look at every day since', async () => {
  const needs = impatient(world())
  const shop = await openShop(needs)
  const { accountId } = shop.account
  const order = await buy(shop)
  for (const verb of ['reverse', 'inquire'] as const)
    needs.bank.faults.add({ verb, delivery: { losesRequest: true, hangsUp: true } })
  await call(shop, 'Intl/VoidCredit', { TransID: order.transactionId, CreditAmt: 25.5 })
  for (const days of [30, 30, 30]) {
    needs.clock.advance({ hours: 24 * days })
    await recoverAttempts(needs)
  }
  const db = failingWhere(needs.db, (name) => name === 'take_orders_to_bank')
  await runDueNow({ ...needs, db }, closeBankDaysWork, accountId)

  const [undoing] = await needs.db.run(findVoidStatement, [accountId])
  assert(undoing)
  const decision = { outcome: 'declined', reason: 'told on the phone', operator: 'olga' } as const
  assert((await decideAttempt(needs, attemptId(undoing.attempt_id), decision)).ok)
  const [told] = await runDueNow(needs, closeBankDaysWork, accountId)
  assert.match(told?.text ?? '', /^The bank took 1 orders and refunds/)
  const [paid] = await findRecords(shop, `(F='${order.transactionId}')&&(B=3)&&(E=1)`)
  assert.notEqual(paid?.['bank_date'] ?? null, null)
})
