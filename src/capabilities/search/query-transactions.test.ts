import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { queryTransactionsContract } from '#capabilities/search/query-transactions.contract.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { lastPage } from '#capabilities/search/query.wire.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import {
  charge,
  impatient,
  makeCaller,
  makeCallerOf,
  makeConsent,
} from '../../../test/support/consent-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import { credit, openTill, settleSome, type Till, useTerminal } from '../../../test/support/till.ts'

const world = useWorld()
const chargeOperation = serve(chargeCardContract, chargeCard)
const voidOperation = serve(voidSaleContract, voidSale)
const queryOperation = serve(queryTransactionsContract, queryTransactions)

type Listed = ReturnType<typeof queryTransactionsContract.toWire>['members']['Transactions']

type Asking = Pick<Till, 'needs' | 'caller'>

async function sell({ needs, caller }: Asking, changes: object = {}): Promise<number> {
  const body = { ...chargeCardContract.example.request, ...changes }
  const answer = await chargeOperation.answer(needs, caller, body)
  const members = answer.ok ? answer.reply.members : answer.members
  return (members as { TxID: number }).TxID
}

async function find({ needs, caller }: Asking, Query: string): Promise<{ text: string; found: Listed }> {
  const answer = await queryOperation.answer(needs, caller, { Query })
  assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
  const { Transactions: found } = answer.reply.members as { Transactions: Listed }
  return { text: answer.reply.message, found }
}

async function idsOf(till: Asking, query: string): Promise<readonly number[]> {
  return (await find(till, query)).found.map(({ ID }) => ID)
}

const declinedCard = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 30 }

test('a sale is found the moment it is approved, with everything that is known of it', async () => {
  const till = await openTill(world())
  const ID = await sell(till)
  const { text, found } = await find(till, `(H=${ID})`)
  assert.equal(text, 'Successfully Returned Transaction Records : 1')
  const [{ TXN_CODE, UserID, ...record } = assert.fail('there is a record')] = found
  assert.match(TXN_CODE, /^\w{6}$/)
  assert.equal(UserID, Number(till.caller.userId))
  assert.deepEqual(record, {
    ID,
    MerchID: 1,
    TxType: 'SALE',
    TxSTATUS: 'OPEN',
    AMOUNT: 25.5,
    SURCHARGE: 0,
    Currency: 'USD',
    ACCT_NO: 'XXXXXXXXXXXX1111',
    CARD_TYPE: 'VI',
    EXP_DATE: '12/30',
    ACCT_FIRST_NAME: 'Ada',
    ACCT_LAST_NAME: 'Miller',
    ConsentID: 0,
    REF_ID: 'order-1001',
    RPGUID: 'basket-7',
    RefTxID: 0,
    Credits: 0,
    AVSr: record.AVSr,
    CVVr: record.CVVr,
    BatchLogID: 0,
    BatchNO: 0,
    BatchStatus: '',
    TxLOCK: '0',
    IsLocked: false,
    IsPartialApproval: false,
    Origin: 'API',
    CreatedOn: '2027-01-15T10:00:00.000Z',
    LastChangedOn: '2027-01-15T10:00:00.000Z',
    LAST_CHANGED_BY: 'Till 1',
    chargeback_date: null,
    reason_code: null,
    DisputeStatus: '',
  })
})

// Every letter of the chart, with values that hold and values that do not.
const letters: readonly [string, string][] = [
  ['(A=1)', '(A=2)'],
  ['(A=-1)', '(A<>-1)'],
  ['(B=1)', '(B=2)'],
  ['(B=-1)', '(B<>-1)'],
  ["(B='1')", '(B=5)'],
  ["(C>='2027-01-15')", "(C<'1/15/2027')"],
  ["(C>='1/15/2027 04:59:59 AM')&&(C<'1/15/2027 05:00:01 AM')", "(C>'1/15/2027 05:00:00 AM')"],
  ["(D='MILLER')", "(D='Mille')"],
  ["(D LIKE 'mil%')", "(D LIKE '%x')"],
  ["(DLIKE'%LER')", "(D LIKE 'M_ller')"],
  ["(E='0')", "(E<>'0')"],
  ['(F=0)', '(F>0)'],
  ["(J='ada')", "(J<>'ada')"],
  ['(K=2)', '(K=6)'],
  ['(L=25.5)', '(L=25.51)'],
  ["(L='25.50')", '(L<25.5)'],
  ['(L>=25.499)', '(L>25.5)'],
  ["(M='order-1001')", "(M='order-1')"],
  ["(N='BASKET-7')", "(N LIKE '_asket-7')"],
  ["(P='')", '(P=7)'],
  ['(Q=1111)', '(Q=0111)'],
  ["(Q='1111')", '(Q<>1111)'],
  ["(R<>'')", "(R='')"],
  ["(S<>'nobody')", "(S='nobody')"],
  ["(T<>'nobody')", "(T='nobody')"],
  ["(U='api')", "(U='WID')"],
  ['(W=0)', '(W>=1)'],
]
for (const [holds, fails] of letters) {
  test(`${holds} finds a sale that ${fails} does not`, async () => {
    const till = await openTill(world())
    const id = await sell(till)
    assert.deepEqual(await idsOf(till, holds), [id])
    assert.deepEqual(await idsOf(till, fails), [])
  })
}

test('|| joins what && has narrowed, and parentheses change that', async () => {
  const till = await openTill(world())
  const declined = await sell(till, { ccCardInfo: declinedCard })
  const approved = await sell(till)
  assert.deepEqual(await idsOf(till, `(B=3)||(B=1)&&(H=${declined})`), [declined])
  assert.deepEqual(await idsOf(till, `((B=3)||(B=1))&&(H=${approved})`), [approved])
  assert.deepEqual(await idsOf(till, '(B=3)||(B=1)'), [approved, declined])
})

test('a voided sale has status 5, and a declined one 3', async () => {
  const till = await openTill(world())
  const TxID = await sell(till)
  const declined = await sell(till, { ccCardInfo: declinedCard })
  assert((await voidOperation.answer(till.needs, till.caller, { TxID })).ok)
  assert.deepEqual(await idsOf(till, '(B=5)'), [TxID])
  assert.deepEqual(await idsOf(till, '(B=3)'), [declined])
  assert.deepEqual(await idsOf(till, '(B=1)'), [])
})

test('a settled sale is found by its batch, with its credits', async () => {
  const till = await openTill(world())
  const TxID = await sell(till)
  const open = await sell(till, { Amounts: { BaseAmt: 9 } })
  const { batch } = await settleSome(till, [TxID])
  await credit(till, TxID, 5)
  const [found] = (await find(till, `(H=${TxID})`)).found
  assert.partialDeepStrictEqual(found, {
    TxSTATUS: 'SETTLED',
    Credits: 5,
    BatchLogID: batch['BatchLogID'],
    BatchNO: 1,
    BatchStatus: 'APPROVED',
    TxLOCK: batch['TxLock'],
    IsLocked: true,
  })
  const lock = String(batch['TxLock']).toLowerCase()
  for (const query of ['(B=2)', `(F=${batch['BatchLogID']})`, '(W=1)', `(E='${lock}')`, '(F>0)&&(W<>0)'])
    assert.deepEqual(await idsOf(till, query), [TxID], query)
  assert.deepEqual(await idsOf(till, '(F=0)&&(K=2)'), [open])
})

test('a sale of a batch that was not accepted is locked', async () => {
  const till = await openTill(world())
  const TxID = await sell(till)
  await useTerminal(till, 'REJECT-1')
  await settleSome(till, [TxID])
  const { found } = await find(till, '(B=4)')
  assert.deepEqual(
    found.map(({ ID, TxSTATUS, BatchStatus }) => [ID, TxSTATUS, BatchStatus]),
    [[TxID, 'LOCKED', 'FAILED']],
  )
  assert.deepEqual(await idsOf(till, '(B=1)'), [])
})

test('the charges of a consent are found by its number', async () => {
  const { needs, caller } = await openTill(world())
  const consent = await makeConsent(needs, caller)
  const paid = await charge(needs, caller, consent, { Amounts: 12 })
  assert(paid.ok)
  const { found } = await find({ needs, caller }, `(P=${consent})`)
  assert.deepEqual(
    found.map(({ ID, ConsentID, AMOUNT }) => [ID, ConsentID, AMOUNT]),
    [[Number(paid.value.attemptId), Number(consent), 12]],
  )
})

test('a charge whose outcome is not known yet is there, as PENDING among the open ones', async () => {
  const needs = impatient(world())
  const till = { needs, caller: await makeCallerOf(needs) }
  const ID = await sell(till, { Amounts: { BaseAmt: 9900.98 } })
  const { found } = await find(till, `(H=${ID})`)
  assert.deepEqual(
    found.map((one) => [one.ID, one.TxSTATUS]),
    [[ID, 'PENDING']],
  )
  assert.deepEqual(await idsOf(till, '(B=1)'), [ID])
})

test('a charge that waits for its bank is there as PENDING, and as OPEN once that has answered', async () => {
  const needs = world()
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const authorize: World['acquirer']['authorize'] = async (request, signal) => {
    asked.resolve()
    await answered.promise
    return needs.acquirer.authorize(request, signal)
  }
  const slow = { ...needs, acquirer: { ...needs.acquirer, authorize } }
  const till = { needs: slow, caller: await makeCallerOf(needs) }
  const statuses = async () => (await find(till, '(H>0)')).found.map((one) => one.TxSTATUS)
  const selling = sell(till)
  await asked.promise
  assert.deepEqual(await statuses(), ['PENDING'])
  answered.resolve()
  await selling
  assert.deepEqual(await statuses(), ['OPEN'])
})

test('the newest come first', async () => {
  const till = await openTill(world())
  const first = await sell(till)
  const second = await sell(till)
  till.needs.clock.advance({ minutes: 1 })
  const third = await sell(till)
  assert.deepEqual(await idsOf(till, '(A=1)'), [third, second, first])
})

test('nothing of another account or another merchant record is found', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeMerchant(needs, account)
  const caller = await makeCaller(needs, account)
  const id = await sell({ needs, caller })
  const bound = { needs, caller: { ...caller, merchantNumber: merchantNumber(2) } }
  for (const till of [await openTill(needs), bound]) {
    for (const query of [`(H=${id})`, '(A>0)', '(B=-1)', '(A=2)||(A=1)', "(D='x')||(H>0)"]) {
      assert.deepEqual(await idsOf(till, query), [], query)
    }
  }
})

test('what is older than a year is found, with an upper bound of the date and without any', async () => {
  const till = await openTill(world())
  const old = await sell(till)
  till.needs.clock.advance({ hours: 24 * 400 })
  const fresh = await sell(till)
  for (const query of ['(B=1)', "(D LIKE '%ler')", "(U='API')&&(K=2)", "(M='order-1001')"]) {
    const { text, found } = await find(till, query)
    assert.equal(text, 'Successfully Returned Transaction Records : 2')
    assert.deepEqual(
      found.map(({ ID }) => ID),
      [fresh, old],
      query,
    )
  }
  for (const query of ["(C<'2028-01-01')", "(C<'2028-01-01')&&(B=1)", "(D LIKE '%ler')&&(C<='1/16/2027')"])
    assert.deepEqual(await idsOf(till, query), [old], query)
})

const refused: readonly [string, string, string][] = [
  ['', 'query_unreadable', "column 1: expected '(', found the end"],
  ['A=1', 'query_unreadable', "column 1: expected '(', found 'A'"],
  ['(A=1', 'query_unreadable', "column 5: expected ')'"],
  ['(G=1)', 'query_meaningless', 'column 2: there is no letter G here'],
  ['(C=1/15/2027)', 'query_unreadable', "column 5: expected ')' (texts and dates stand in single quotes"],
  ["(A='x')", 'query_meaningless', 'column 4: letter A (merchant record) takes a whole number'],
  ['(B>1)', 'query_meaningless', 'column 2: letter B (status) can be compared by = or <>'],
  ['(B=9)', 'query_meaningless', 'column 4: letter B (status) is one of -1, 1, 2, 3, 4, 5'],
  ["(C>='30/30/2027')", 'query_meaningless', 'column 5: letter C (created on) takes a date'],
]
for (const [Query, kind, told] of refused) {
  test(`${Query || 'an empty query'} is refused, and the column is named`, async () => {
    const { needs, caller } = await openTill(world())
    const answer = await queryOperation.answer(needs, caller, { Query })
    assert(!answer.ok)
    assert.equal(answer.refusal.kind, kind)
    const { column, expected, found, problem } = answer.refusal.details
    const text = problem ?? `expected ${expected}, found ${found}`
    assert.ok(`column ${column}: ${text}`.startsWith(told), `column ${column}: ${text}`)
    assert.deepEqual(answer.members, { NumRecords: 0, Transactions: [], ...lastPage })
  })
}
