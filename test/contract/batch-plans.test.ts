import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { declaredStatements, type Statement } from '#platform/postgres/statement.ts'
import { loadStores } from '../support/stores.ts'
import { useTestDatabase } from '../support/test-database.ts'

// A connection keeps the plan of a statement, and the first one is made when there are no rows yet. It must
// be good for many, too. So these plans are those of a database in which nothing has happened.

await loadStores()

const indexesOf: Readonly<Record<string, readonly string[]>> = {
  find_chargeable_consents: ['consent_pkey', 'vault_card_pkey'],
  find_sessions: ['session_pkey', 'api_token_pkey', 'api_user_pkey', 'account_pkey', 'merchant_pkey'],
  list_merchants: ['merchant_pkey'],
  take_consent_use: ['consent_pkey'],
  take_all_consent_use: ['consent_pkey'],
  read_consent_limits: ['consent_pkey'],
  give_back_consent_use: ['consent_pkey'],
  read_takers_of_look_alikes: ['look_alike_pkey', 'attempt_acquirer_ref_key'],
  free_look_alikes: ['look_alike_pkey', 'attempt_pkey'],
  claim_idempotency_keys: ['attempt_acquirer_ref_key'],
  find_attempts: ['attempt_pkey'],
  move_attempts: ['attempt_pkey'],
  take_sales: ['attempt_pkey', 'batch_item_pkey', 'batch_pkey', 'dispute_pkey'],
  take_instalments: ['instalment_pkey', 'plan_pkey'],
  insert_keyed_run_payments: ['keyed_run_pkey'],
  take_orders: ['card_order_pkey'],
  find_order_beginnings: ['consent_pkey', 'vault_fingerprint_pkey', 'card_order_sale_ref_key'],
}

describe('planned in a new database', () => {
  const database = useTestDatabase()

  for (const [name, indexes] of Object.entries(indexesOf)) {
    test(`${name} looks the rows of a batch up by their ids`, async () => {
      const plan = await database().batchDb.inTransaction((tx) => planOf(tx, statementOf(name)))
      const used = Array.from(
        plan.matchAll(/ Scan using (\w+) on .*\n\s+Index Cond: /g),
        ([, index = '']) => index,
      )
      assert.deepEqual(used.toSorted(), indexes.toSorted(), plan)
      assert.equal(plan.match(/(?:Seq|Bitmap Heap|Index|Index Only) Scan /g)?.length, used.length, plan)
    })
  }
})

describe('what the recoverer reads, planned in a new database', () => {
  const database = useTestDatabase()

  for (const name of ['list_lost_attempts', 'raise_watermark']) {
    test(`${name} reads no attempt below the watermark`, async () => {
      const plan = await database().batchDb.inTransaction((tx) => planOf(tx, statementOf(name)))
      const scans =
        plan.match(/using attempt_pkey on attempt(?: \w+)? .*\n\s+Index Cond: \(+attempt_id > /g) ?? []
      assert(scans.length > 0, plan)
      assert.equal(plan.match(/ on attempt(?: \w+)? /g)?.length, scans.length, plan)
    })
  }
})

function statementOf(name: string): Statement {
  const statement = declaredStatements().find((one) => one.name === name)
  assert(statement)
  return statement
}

async function planOf(tx: Tx, { name, text: words, params }: Statement): Promise<string> {
  const say = (verb: string, command: string) =>
    tx.run({ name: `${verb}_${name}`, params: [], columns: { 'QUERY PLAN': text }, text: command }, [])
  await say('prepare', `prepare ${name} as ${words}`)
  const rows = await say('explain', `explain execute ${name}(${params.map(() => 'null').join()})`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
