import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { queryBankTransactionsContract } from '#capabilities/search/query-bank-transactions.contract.ts'
import { queryBankTransactions } from '#capabilities/search/query-bank-transactions.operation.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import { type Counter, credit, debit, openCounter, settle, undo } from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const query = serve(queryBankTransactionsContract, queryBankTransactions)
type Listed = ReturnType<typeof queryBankTransactionsContract.toWire>['members']['Transactions']

async function find({ needs, caller }: Counter, Query: string): Promise<Listed> {
  const answer = await query.answer(needs, caller, { Query })
  assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
  return (answer.reply.members as { Transactions: Listed }).Transactions
}

async function idsOf(counter: Counter, text: string): Promise<readonly number[]> {
  return (await find(counter, text)).map(({ ID }) => ID)
}

test('a bank debit is found the moment it is recorded, with everything that is known of it', async () => {
  const counter = await openCounter(world())
  const ID = await debit(counter, { AccountType: 4 }, { EndCustomer: { Firstname: 'Bo', Lastname: 'Lee' } })
  const [{ AuthID, UniqueID, ...record } = assert.fail('there is a record')] = await find(
    counter,
    `(H=${ID})`,
  )
  assert.match(AuthID, /^\d+$/)
  assert.match(UniqueID, /^\w{20,24}$/)
  assert.deepEqual(record, {
    ID,
    MerchID: 1,
    TxType: 'DEBIT',
    TxSTATUS: 'OPEN',
    Amt: 25.5,
    AcctLast4: '6789',
    AcctType: 4,
    FirstName: 'Ada',
    LastName: 'Miller',
    CustName: 'Bo Lee',
    REF_ID: 'order-1002',
    RPGUID: 'basket-8',
    RefTxID: 0,
    Credits: 0,
    ReturnReason: '',
    SettledOn: '',
    ResolvedOn: '',
    BatchLogID: 0,
    BatchNO: 0,
    Origin: 'API',
    CreatedOn: '2027-01-15T10:00:00.000Z',
    CreatedBy: 1,
  })
})

// Every letter of the chart, with values that hold and values that do not.
const letters: readonly [string, string][] = [
  ['(A=1)', '(A=2)'],
  ['(B=1)', '(B=2)'],
  ["(C>='2027-01-15')", "(C<'1/15/2027')"],
  ["(D LIKE 'mil%')", "(D='Mille')"],
  ["(E='0')", "(E<>'0')"],
  ['(H>0)', '(H=0)'],
  ["(J='ada')", "(J<>'ada')"],
  ['(K=1)', '(K=2)'],
  ['(L=25.5)', '(L>25.5)'],
  ["(M='order-1002')", "(M='order-1')"],
  ["(N='BASKET-8')", "(N='basket')"],
  ["(P='')", '(P=7)'],
  ['(P=0)', '(P<>0)'],
  ['(P<1)', '(P>0)'],
  ['(Q=6789)', '(Q=1111)'],
  ["(R<>'')", "(R='')"],
  ["(S<>'nobody')", "(S='nobody')"],
  ["(T<>'nobody')", "(T='nobody')"],
  ["(U='api')", "(U='WID')"],
]
for (const [holds, fails] of letters) {
  test(`${holds} finds a bank debit that ${fails} does not`, async () => {
    const counter = await openCounter(world())
    const id = await debit(counter)
    assert.deepEqual(await idsOf(counter, holds), [id])
    assert.deepEqual(await idsOf(counter, fails), [])
  })
}

test('settled, returned, failed, voided and credited debits have their status', async () => {
  const counter = await openCounter(world())
  const bad = await debit(counter, { AccountNumber: '1234567890123451' })
  const failed = await debit(counter, { AccountNumber: '1234567890123461' })
  const good = await debit(counter, { Amount: 100 })
  const gone = await debit(counter)
  const undone = Number((await undo(counter, gone)).members['TxID'])
  const batch = await settle(counter)
  const file = await printBankFile(counter.needs, batch)
  assert(file.ok)
  const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null)
  assert((await applyReturns(counter.needs, back)).ok)
  const credited = Number((await credit(counter, good, 30)).members['TxID'])
  const told = (await find(counter, '(A=1)')).map((one) => [
    one.ID,
    one.TxType,
    one.TxSTATUS,
    one.ReturnReason,
    one.BatchLogID,
    one.RefTxID,
    one.Credits,
  ])
  assert.deepEqual(told, [
    [credited, 'CREDIT', 'OPEN', '', 0, good, 0],
    [gone, 'DEBIT', 'VOID', '', 0, undone, 0],
    [good, 'DEBIT', 'SETTLED', '', Number(batch), 0, 30],
    [failed, 'DEBIT', 'FAILED', 'R13', Number(batch), 0, 0],
    [bad, 'DEBIT', 'RETURNED', 'R01', Number(batch), 0, 0],
  ])
  assert.deepEqual(await idsOf(counter, '(B=4)'), [bad])
  assert.deepEqual(await idsOf(counter, '(B=3)'), [failed])
  assert.deepEqual(await idsOf(counter, '(K=2)||(B=5)'), [credited, gone])
  assert.deepEqual(await idsOf(counter, "(E<>'0')"), [good, failed, bad])
})

test('nothing of another account or another merchant record is found', async () => {
  const counter = await openCounter(world())
  const id = await debit(counter)
  const bound = { ...counter, caller: { ...counter.caller, merchantNumber: merchantNumber(2) } }
  for (const stranger of [await openCounter(counter.needs), bound]) {
    for (const text of [`(H=${id})`, '(A>0)', '(B=-1)', "(D='x')||(H>0)"])
      assert.deepEqual(await idsOf(stranger, text), [], text)
  }
})
