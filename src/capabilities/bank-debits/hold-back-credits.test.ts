import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { findReceiptFor } from '#capabilities/receipts/generate-receipt.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { int8, jsonb, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import {
  assertBankBooksAgree,
  credit as creditDebit,
  debit,
  settle,
  standingOf,
} from '../../../test/support/bank-world.ts'
import { holding } from '../../../test/support/holding.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { call, openTill, settleAll, settleSome, type Till } from '../../../test/support/till.ts'

const world = useWorld()

const earnedStatement = statement(
  'test_earned_by_merchant',
  [int8],
  { minor: int8 },
  `select sum(case 'merchant' when credit then amount_minor when debit then -amount_minor end)::int8 as minor
   from posting where account_id = $1`,
)
const eventsStatement = statement(
  'test_events_of_returns',
  [int8],
  { type: text, object_id: int8, body: jsonb },
  `select type, object_id, body from event
   where account_id = $1 and type in ('ach.returned', 'payment.voided') order by event_id`,
)

type Sent = { readonly till: Till; readonly TxID: number; readonly back: string }

// A debit of 40.00 that went to its bank, and what the bank will send back.
async function send(needs: World, account = '1234567890123451'): Promise<Sent> {
  const till = await openTill(needs)
  const TxID = await debit(till, { AccountNumber: account, Amount: 40 })
  const file = await printBankFile(needs, await settle(till))
  assert(file.ok)
  const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null)
  return { till, TxID, back }
}

async function credit(till: Till, TxID: number, amount: number): Promise<number> {
  const told = await creditDebit(till, TxID, amount)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

async function apply({ needs }: Till, back: string) {
  const applied = await applyReturns(needs, back)
  assert(applied.ok)
  return {
    returned: applied.value.returned.map(({ attemptId }) => Number(attemptId)),
    heldBack: applied.value.heldBack.map(({ attemptId }) => Number(attemptId)),
  }
}

async function earned({ needs, account }: Till): Promise<bigint | undefined> {
  return (await needs.db.run(earnedStatement, [account.accountId]))[0]?.minor
}

describe('a debit that its bank sends back', () => {
  test('takes along the credit that waits for its file, and the payer is paid back once', async () => {
    const { till, TxID, back } = await send(world())
    const waiting = await credit(till, TxID, 40)
    assert.equal(await earned(till), 0n)
    assert.deepEqual(await apply(till, back), { returned: [TxID], heldBack: [waiting] })
    assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 0')
    assert.equal(await standingOf(till, waiting), 'void, in no batch, credited 0')
    assert.equal(await earned(till), 0n, 'it was taken once and went back once')
    const told = await settleAll(till)
    assert.deepEqual([told.text, told.batch['RemainingUnsettled']], ['Nothing to settle', 0])
    await assertBankBooksAgree(till)
  })

  test('tells of itself and of the credit that is voided, with the reason of its bank', async () => {
    const { till, TxID, back } = await send(world())
    const waiting = await credit(till, TxID, 12.34)
    await apply(till, back)
    const events = await till.needs.db.run(eventsStatement, [till.account.accountId])
    assert.deepEqual(
      events.map(({ type, object_id: id, body }) => {
        const { kind, parent, amount, code } = Object(body)
        return [type, Number(id), kind, Number(parent), amount, code]
      }),
      [
        ['ach.returned', TxID, 'bank_return', TxID, '40.00', 'R01'],
        ['payment.voided', waiting, 'bank_credit_return', waiting, '12.34', 'R01'],
      ],
    )
    const found = await call(till, 'Query/ACHTransaction', { Query: `(H=${waiting})` })
    const [record] = Object(found.members['Transactions'])
    assert.deepEqual([record.TxSTATUS, record.RefTxID, record.ReturnReason], ['VOID', TxID, ''])
  })

  test('leaves alone a credit that has been sent or is in a batch, and holds back all others', async () => {
    const { till, TxID, back } = await send(world())
    const sent = await credit(till, TxID, 10.01)
    await settle(till)
    const onItsWay = await credit(till, TxID, 5.02)
    await settle(till, { isAccepted: false })
    const waiting = [await credit(till, TxID, 3.03), await credit(till, TxID, 0.01)]
    const other = await credit(till, await debit(till), 1)
    assert.deepEqual(await apply(till, back), { returned: [TxID], heldBack: waiting })
    assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 1503')
    assert.equal(await standingOf(till, sent), 'settled, in a batch, credited 0')
    assert.equal(await standingOf(till, onItsWay), 'open, in a batch, credited 0')
    for (const one of waiting) assert.equal(await standingOf(till, one), 'void, in no batch, credited 0')
    assert.equal(await standingOf(till, other), 'open, in no batch, credited 0')
    // What was sent and what is on its way is the merchant's loss; the rest is the other debit.
    assert.equal(await earned(till), -1503n + 2450n)
    assert.equal((await verifyLedger(till.needs.db)).isSound, true)
  })

  test('holds back its credit as well where the network and no bank has sent it back', async () => {
    const { till, TxID, back } = await send(world(), '1234567890123461')
    const waiting = await credit(till, TxID, 15)
    assert.deepEqual(await apply(till, back), { returned: [TxID], heldBack: [waiting] })
    assert.equal(await standingOf(till, TxID), 'failed, in a batch, credited 0')
    await assertBankBooksAgree(till)
  })

  test('voids its credit once, however often and by however many the file is read', async () => {
    const { till, TxID, back } = await send(world())
    const waiting = await credit(till, TxID, 7)
    const applied = await Promise.all([apply(till, back), apply(till, back), apply(till, back)])
    assert.deepEqual(
      applied.flatMap(({ heldBack }) => heldBack),
      [waiting],
    )
    assert.deepEqual((await apply(till, back)).heldBack, [])
    assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 0')
    await assertBankBooksAgree(till)
  })
})

describe('a return that comes at the very moment', () => {
  test('in which a settlement takes the credit finds it in the batch and leaves it there', async () => {
    const { till, TxID, back } = await send(world())
    const { needs, account } = till
    const waiting = await credit(till, TxID, 7)
    const slow = holding(needs)
    const settling = settle({ ...till, needs: slow.needs }, { isAccepted: false })
    await slow.done
    const applying = apply(till, back)
    await somebodyWaits(needs.db)
    slow.open()
    await settling
    assert.deepEqual(await applying, { returned: [TxID], heldBack: [] })
    assert.equal(await standingOf(till, waiting), 'open, in a batch, credited 0')
    assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 700')
    assert.equal(await earned({ ...till, account }), -700n)
    assert.equal((await verifyLedger(needs.db)).isSound, true)
  })

  for (const [sentence, close, told] of [
    ['closes the day', (till: Till) => settleAll(till), () => 'Nothing to settle'],
    [
      'settles it by name',
      (till: Till, TxID: number) => settleSome(till, [TxID]),
      (TxID: number) => `Transaction ${TxID} cannot be settled: it is voided`,
    ],
  ] as const) {
    test(`in which somebody ${sentence}, and is first, keeps the credit out of the file`, async () => {
      const { till, TxID, back } = await send(world())
      const waiting = await credit(till, TxID, 7)
      const slow = holding(till.needs)
      const applying = apply({ ...till, needs: slow.needs }, back)
      await slow.done
      const closing = close(till, waiting)
      await somebodyWaits(till.needs.db)
      slow.open()
      assert.deepEqual(await applying, { returned: [TxID], heldBack: [waiting] })
      assert.equal((await closing).text, told(waiting))
      await assertBankBooksAgree(till)
    })
  }

  test('in which the debit is credited once more lets no credit through', async () => {
    const { till, TxID, back } = await send(world())
    const slow = holding(till.needs)
    const applying = apply({ ...till, needs: slow.needs }, back)
    await slow.done
    const crediting = creditDebit(till, TxID, 7)
    await somebodyWaits(till.needs.db)
    slow.open()
    await applying
    assert.match((await crediting).text, /its bank has sent it back \(R01\)$/)
    await assertBankBooksAgree(till)
  })
})

test('a credit that was held back has the receipt of a void, by its own number', async () => {
  const { till, TxID, back } = await send(world())
  const given = await credit(till, TxID, 15)
  await apply(till, back)
  const receipt = await findReceiptFor(till.needs, till.caller, { type: 8, subject: BigInt(given) })
  assert(receipt.ok)
  const { title, total, rows } = receipt.value
  assert.deepEqual([title, total], ['Void of a refund to a bank account', '$15.00'])
  assert.equal(rows.find(({ label }) => label === 'Voids')?.value, String(given))
})
