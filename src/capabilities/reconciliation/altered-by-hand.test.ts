import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { bankReturnsWork } from '#capabilities/bank-debits/receive-returns.task.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import type { Database, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { alterations, type Altered } from '../../../test/support/alterations.ts'
import { credit as creditDebit, debit } from '../../../test/support/bank-world.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { credit, openTill, sell, settleAll, undo } from '../../../test/support/till.ts'

const period = {
  from: Temporal.Instant.from('2027-01-15T00:00Z'),
  to: Temporal.Instant.from('2027-01-17T00:00Z'),
}

type Day = { readonly needs: World; readonly ids: Readonly<Record<Altered, number>> }

// One of each, settled in one batch; then a payer's bank takes a sale back, and another returns a debit.
async function liveADay(needs: World): Promise<Day> {
  const till = await openTill(needs)
  const ids = {
    sale: await sell(till, 25),
    declined: await sell(till, 99, { card: '4000000000000002' }),
    credited: await sell(till, 40),
    voided: await sell(till, 70),
    disputed: await sell(till, 9900.4),
    debit: await debit(till, { Amount: 20 }),
    returned: await debit(till, { AccountNumber: '1234567890123451' }),
    givenBack: await debit(till, { Amount: 60 }),
  }
  assert.equal((await credit(till, ids.credited, 5)).code, 0)
  assert.equal((await undo(till, ids.voided)).code, 0)
  assert.equal((await creditDebit(till, ids.givenBack, 7)).code, 0)
  assert.equal((await settleAll(till)).isApproved, true)
  needs.clock.advance({ hours: 121 })
  const { accountId } = till.account
  assert.equal((await runDueNow(needs, collectDisputesWork, accountId)).length, 1)
  assert.equal((await runDueNow(needs, bankReturnsWork, accountId)).length, 1)
  return { needs, ids }
}

async function causes(needs: World): Promise<readonly string[]> {
  const all = await Array.fromAsync(reconcile(needs, period))
  return all.flatMap(({ breaks }) => breaks.map(({ subject, cause }) => `${subject}: ${cause}`))
}

// The ledger refuses changes; only somebody with every right gets past that.
const pastTriggersStatement = statement(
  'test_past_triggers',
  [],
  { setting: text },
  `select set_config('session_replication_role', 'replica', true) as setting`,
)

class Undone extends Error {}

// What is found while something is altered; afterwards it is as it was.
async function causesWith(needs: World, alter: (tx: Tx) => Promise<unknown>): Promise<readonly string[]> {
  let found: readonly string[] = []
  const altered = needs.db.inTransaction(async (tx) => {
    await tx.run(pastTriggersStatement, [])
    await alter(tx)
    const db: Database = { ...needs.db, run: (asked, values) => tx.run(asked, values) }
    found = await causes({ ...needs, db })
    throw new Undone()
  })
  await assert.rejects(altered, Undone)
  return found
}

describe('what was altered by hand is found and named:', () => {
  const world = useWorld()
  let lived: Day | null = null
  before(async () => {
    lived = await liveADay(world())
    assert.deepEqual(await causes(lived.needs), [])
  })

  for (const [what, whose, sql, expected] of alterations) {
    test(`the ${what}`, async () => {
      assert(lived)
      const { needs, ids } = lived
      const alter = statement(`test_alter_${what.replaceAll(/\W/g, '_')}`, [int8], {}, sql)
      const found = await causesWith(needs, (tx) => tx.run(alter, [BigInt(ids[whose])]))
      const plain = found.map((cause) =>
        cause
          .replace(`transaction ${ids[whose]}:`, 'T:')
          .replace(/ \(id \d+\):/, ':')
          .replace(`debit ${ids[whose]} `, 'debit N '),
      )
      assert(
        plain.some((cause) => expected.test(cause)),
        plain.join('\n'),
      )
    })
  }
})
