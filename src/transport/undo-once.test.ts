import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { operations } from '#capabilities/operations.ts'
import { creditSaleContract } from '#capabilities/sales/credit-sale.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import type { Answer } from '#transport/answer.ts'
import { answerOnce } from '#transport/answer-once.ts'
import { credit, debit, standingOf } from '../../test/support/bank-world.ts'
import { postedMinor } from '../../test/support/consent-world.ts'
import { useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, sell, type Till } from '../../test/support/till.ts'

const world = useWorld()

type Undoing = { readonly contract: ContractFacts; readonly body: object }

function call({ needs, caller }: Till, key: string, { contract, body }: Undoing): Promise<Answer> {
  const operation = operations.find((one) => one.contract === contract)
  assert.ok(operation)
  return answerOnce(needs, operation, { caller, key, body })
}

const voidOf = (TxID: number): Undoing => ({ contract: voidSaleContract, body: { TxID } })
const creditOf = (TxID: number): Undoing => ({
  contract: creditSaleContract,
  body: { TxID, CreditAmount: 5 },
})

// Names the statements that are run outside of transactions.
function watched(full: World): { readonly needs: World; readonly read: readonly string[] } {
  const read: string[] = []
  const run: World['db']['run'] = (statement, values) => {
    read.push(statement.name)
    return full.db.run(statement, values)
  }
  const db = { ...full.db, run }
  return { needs: { ...full, ...paymentEngine({ ...full, db, batchDb: db }), clock: full.clock }, read }
}

for (const [word, undoing] of [
  ['void', voidOf],
  ['credit', creditOf],
] as const) {
  describe(`a ${word} under a key`, () => {
    test('is told again as it was, although nothing is left to be given back', async () => {
      const till = await openTill(world())
      const wish = undoing(await sell(till, 5))
      const first = await call(till, 'k-1', wish)
      assert.equal(first.error, null)
      const second = await call(till, 'k-1', wish)
      assert.deepEqual(second, { ...first, notes: { 'Idempotent-Replayed': 'true' } })
      assert.equal(await postedMinor(till.needs.db, till.caller), 0n)
    })

    test('of another sale is refused, and that sale stands', async () => {
      const till = await openTill(world())
      await call(till, 'k-1', undoing(await sell(till, 5)))
      const other = await sell(till, 5)
      assert.equal((await call(till, 'k-1', undoing(other))).error, 'key_reused')
      assert.equal(await postedMinor(till.needs.db, till.caller), 500n)
    })

    test('reads once before it is recorded, together with those that come with it', async () => {
      const { needs, read } = watched(world())
      const till = await openTill(needs)
      const sales = [await sell(till, 5), await sell(till, 5), await sell(till, 5)]
      const before = read.length
      const answers = await Promise.all(sales.map((sale) => call(till, `k-${sale}`, undoing(sale))))
      assert.deepEqual(
        answers.map(({ error }) => error),
        [null, null, null],
      )
      assert.deepEqual(read.slice(before), ['find_attempts'])
    })
  })
}

test('the void of a bank credit under a key is told again as it was, and done once', async () => {
  const till = await openTill(world())
  const debited = await debit(till)
  const { members } = await credit(till, debited, 5)
  const wish = { contract: voidBankDebitContract, body: { TxID: Number(members['TxID']) } }
  const first = await call(till, 'k-1', wish)
  assert.equal(first.error, null)
  const second = await call(till, 'k-1', wish)
  assert.deepEqual(second, { ...first, notes: { 'Idempotent-Replayed': 'true' } })
  assert.equal((await call(till, 'k-1', { ...wish, body: { TxID: debited } })).error, 'key_reused')
  assert.equal(await standingOf(till, debited), 'open, in no batch, credited 0')
})
