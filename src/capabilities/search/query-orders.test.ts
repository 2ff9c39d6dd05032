import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { displayDate } from '#capabilities/search/order-record.wire.ts'
import { runDueAt } from '../../../test/support/due-work.ts'
import { makeCaller } from '../../../test/support/consent-world.ts'
import {
  ann,
  buy,
  cards,
  challenge,
  openShop,
  proc,
  findRecords,
  type ToldRecord,
  undoOrder,
} from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const day = '1/15/2027'

// Ann buys and is charged again, Sam is declined, Kim is refunded, Lee is at the bank, and a stranger buys in
// another shop.
async function furnish(shop: Till) {
  const sale = await buy(shop, { saves: true })
  const declined = await buy(shop, {
    card: cards.declining,
    amount: '150',
    clientRef: 'order-2',
    guid: 'basket-8',
    payer: { firstName: 'Sam', lastName: 'Smithson' },
  })
  const refunded = await buy(shop, { amount: '99.99', payer: { firstName: 'Kim', lastName: "O'Hara" } })
  await undoOrder(shop, refunded.transactionId, 40)
  const waiting = await challenge(shop, { payer: { lastName: 'Lee' } })
  const recurring = await proc(shop, sale.consentToken, 5)
  return { sale, declined, refunded, waiting, recurring: String(recurring.members['TransID']) }
}

const short = ({ Action, Status, Lname }: ToldRecord): string => `${Action} ${Status} ${Lname}`

describe('records of orders', () => {
  let shop: Till | null = null
  let orders: Awaited<ReturnType<typeof furnish>> | null = null
  before(async () => {
    const needs = world()
    shop = await openShop(needs)
    orders = await furnish(shop)
    await buy(await openShop(needs), { payer: { lastName: 'Stranger' } })
  })
  const find = (expression: string) => {
    assert(shop)
    return findRecords(shop, expression)
  }

  const finals = ['RECURRING_SALE SETTLED Example', "SALE SETTLED O'Hara", 'SALE SETTLED Example']
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['(B=3)&&(E=1)', finals],
    ['(b = 3) && (e = 1)', finals],
    ["(B='3')&&(E='1')", finals],
    ['(G=2)', ["CREDITVOID REFUND O'Hara"]],
    ['(G=3)', ['RECURRING_SALE SETTLED Example']],
    [`(C>='${day}')&&(C<'1/16/2027')&&(B=3)`, finals],
    [`(C>='2027-01-15')&&(C<'2027-01-16')&&(B=3)`, finals],
    [`(C>='${day} 05:00:00 AM')&&(C<='${day} 05:00:00 AM')&&(B=3)`, finals],
    [`(C>='1/16/2027')`, []],
    ["(D LIKE '%son')&&(B=6)", ['SALE DECLINED Smithson']],
    ["(D LIKE 'Sm%')&&(B=6)", ['SALE DECLINED Smithson']],
    ["(D LIKE 'sm%s%')&&(B=6)", ['SALE DECLINED Smithson']],
    ["(D='o''hara')&&(B=5)", ["CREDITVOID REFUND O'Hara"]],
    ["(J='Kim')&&(B=5)", ["CREDITVOID REFUND O'Hara"]],
    ['(A=2)&&(L>100)&&(E=2)', ['SALE DECLINED Smithson']],
    ['(L=40)', ["CREDITVOID REFUND O'Hara"]],
    ["(M='ORDER-2')&&(B=6)", ['SALE DECLINED Smithson']],
    ["(N='basket-8')&&(B=6)", ['SALE DECLINED Smithson']],
    ['(Q=0002)&&(B=6)', ['SALE DECLINED Smithson']],
    ["(B=1)&&(D='Lee')", ['SALE 3DS Lee']],
    ["(B=7)&&(D='Lee')", ['SALE 3DS Lee']],
    ["(B=2)&&(D='Lee')", ['SALE REDIRECT Lee']],
    ['((G=2)||(G=3))&&(E<>6)', ['RECURRING_SALE SETTLED Example', "CREDITVOID REFUND O'Hara"]],
    ['(E=6)', []],
    ['(B<>-1)', []],
    ["(D='Stranger')", []],
    // The second chart.
    ["(U='WID')&&(B=2)", ["SALE SETTLED O'Hara", 'SALE SETTLED Example']],
    ["(U='API')", ['RECURRING_SALE SETTLED Example']],
    ["(S='Buyer')&&(B=4)", ["CREDITVOID REFUND O'Hara"]],
    ["(T LIKE 'be%')&&(B=3)", ['SALE DECLINED Smithson']],
    ['(K=1)', []],
    ["(E='ABCDEF')", []],
    ["(E<>'0')&&(H>0)", []],
    ["(E='0')&&(H>0)&&(B=4)", ["CREDITVOID REFUND O'Hara"]],
    ["(R<>'')&&(B=2)", finals],
    ['(H>0)&&(E=-1)&&(B=4)', ["CREDITVOID REFUND O'Hara"]],
    ['(H>0)&&(E<>-1)', []],
  ]
  for (const [expression, expected] of cases) {
    test(`${expression} finds ${expected.length}`, async () => {
      assert.deepEqual((await find(expression)).map(short), expected)
    })
  }

  test('orders come newest first, the steps of an order oldest first', async () => {
    assert.deepEqual((await find('(B=-1)')).map(short), [
      'RECURRING_SALE SETTLED Example',
      'SALE REDIRECT Lee',
      'SALE 3DS Lee',
      "SALE REDIRECT O'Hara",
      "SALE 3DS O'Hara",
      "SALE SETTLED O'Hara",
      "CREDITVOID REFUND O'Hara",
      'SALE REDIRECT Smithson',
      'SALE 3DS Smithson',
      'SALE DECLINED Smithson',
      'SALE REDIRECT Example',
      'SALE 3DS Example',
      'SALE SETTLED Example',
    ])
  })

  test('by transaction, by record, by consent and by token', async () => {
    assert(orders)
    const { transactionId, consentToken } = orders.sale
    const steps = await find(`(F='${transactionId.toUpperCase()}')`)
    assert.equal(steps.length, 3)
    const last = steps.at(-1)
    assert.deepEqual((await find(`(H=${last?.['ID']})`)).map(short), ['SALE SETTLED Example'])
    const byToken = (await find(`(W='${consentToken}')`)).map(short)
    assert.deepEqual(byToken, ['RECURRING_SALE SETTLED Example', 'SALE SETTLED Example'])
    const consent = orders.sale.charge?.details.consentId
    assert.deepEqual((await find(`(W=${consent})`)).map(short), byToken)
    assert.deepEqual((await find(`(P=${consent})`)).map(short), byToken)
    for (const withOne of ['(W<>0)', '(W>0)', "(W<>'')", '(P<>0)', `(P>=${consent})`])
      assert.deepEqual((await find(withOne)).map(short), byToken, withOne)
    const without = (await find('(B=-1)')).map(short).filter((one) => !byToken.includes(one))
    for (const query of ['(W=0)', "(W='')", "(W='0')", '(W<1)', '(P=0)', '(P>-5)&&(P<=0)'])
      assert.deepEqual((await find(query)).map(short), without, query)
  })

  test('every field of a record is told', async () => {
    assert(orders)
    const [, , record] = await find(`(F='${orders.sale.transactionId}')`)
    const { ID, Card_Token, Order_ID, ...told } = record ?? {}
    assert.equal(typeof ID, 'number')
    assert.match(String(Card_Token), /^[0-9a-f]{64}$/)
    assert.match(String(Order_ID), /^[0-9a-f]{8}$/)
    assert.deepEqual(told, {
      MerchID: 2,
      Action: 'SALE',
      Result: 'SUCCESS',
      Status: 'SETTLED',
      Amount: 25.5,
      Currency: 'EUR',
      Card: '3055',
      CardType: 'VI',
      Card_Expiration_Date: '12/2030',
      Recurring_Token: orders.sale.consentToken,
      Trans_ID: orders.sale.transactionId,
      Trans_Date: 'Jan 15 2027  5:00AM',
      CreatedOn: '2027-01-15T10:00:00.000Z',
      Decline_Reason: '',
      Descriptor: 'CORNER BOOKS EUROPE',
      REFID: 'order-1001',
      RPGUID: 'basket-7',
      Schedule_ID: null,
      bank_date: null,
      chargeback_date: null,
      reason_code: null,
      Fname: ann.firstName,
      Lname: ann.lastName,
      Email: ann.email,
      Phone: ann.phone,
      Address: ann.street,
      City: ann.city,
      State: ann.state,
      PostalCode: ann.zip,
      Country: ann.country,
    })
  })

  test('intermediate and declined records tell no token', async () => {
    assert(orders)
    const [first] = await find(`(F='${orders.sale.transactionId}')`)
    assert.equal(first?.['Recurring_Token'], '')
  })

  const refusals: readonly (readonly [string, number, RegExp])[] = [
    ['(A=1)', 6502, /Merchant record 1 is not set up for international processing/],
    ["((A=1))||(F='x')", 6502, /record 1/],
    ['(G=2)&&(H=1)', 6804, /G belongs to the first, H to the second/],
    ["(F='x')&&(E='0')", 6804, /F belongs to the first, E='0' to the second/],
    ["(B=3)&&(E=1)&&(U='WID')", 6804, /E=1 belongs to the first, U to the second/],
    ['(E<>2)&&(P=9)', 6804, /E<>2 belongs to the first, P to the second/],
    ["(E=1)||(E='0')", 6804, /E=1 belongs to the first, E='0' to the second/],
    ['(G=4)', 6803, /column 4: letter G \(action\) is one of -1, 1, 2, 3/],
    ['(B=10)', 6803, /column 4/],
    ['(Z=1)', 6803, /column 2: there is no letter Z here/],
    ['(B=3', 6801, /column 5: expected '\)'/],
    ['(L>ten)', 6801, /column 4/],
    ["(C>'yesterday')", 6803, /column 4/],
  ]
  for (const [expression, code, text] of refusals) {
    test(`${expression} is refused with ${code}`, async () => {
      assert(shop)
      const told = await call(shop, 'Intl/QueryTransaction', { Query: expression })
      assert.equal(told.code, code)
      assert.match(told.text, text)
      assert.deepEqual(told.members, { NumRecords: 0, Transactions: [], HasMore: false, NextCursor: '' })
    })
  }

  test('orders older than a year are found, with an upper bound of the date and without any', async () => {
    const needs = world()
    const old = await openShop(needs)
    await buy(old, { payer: { lastName: 'Older' } })
    needs.clock.advance({ hours: 24 * 400 })
    await buy(old, { payer: { lastName: 'Newer' } })
    const both = ['SALE SETTLED Newer', 'SALE SETTLED Older']
    for (const query of ['(B=3)&&(E=1)', '(G=1)&&(B=3)', "(D LIKE '%er')&&(B=3)", "(J='Ann')&&(B=3)"])
      assert.deepEqual((await findRecords(old, query)).map(short), both, query)
    for (const query of ["(C<'1/1/2028')&&(B=3)", "(D LIKE '%er')&&(C<='2027-01-16')&&(E=1)"])
      assert.deepEqual((await findRecords(old, query)).map(short), ['SALE SETTLED Older'], query)
  })

  test('an account without an international record is refused, and a domestic token too', async () => {
    assert(shop)
    const told = await call(await openTill(world()), 'Intl/QueryTransaction', { Query: '(B=3)' })
    assert.equal(told.code, 6501)
    const caller = await makeCaller(shop.needs, shop.account, { merchant: 1 })
    const narrow = await call({ ...shop, caller }, 'Intl/QueryTransaction', { Query: '(B=3)' })
    assert.equal(narrow.code, 6501)
    const own = await makeCaller(shop.needs, shop.account, { merchant: 2 })
    assert.equal((await findRecords({ ...shop, caller: own }, '(B=3)&&(E=1)')).length, 3)
  })
})

test('a bank cut-off fills the bank date of what was settled before it, once', async () => {
  const shop = await openShop(world())
  const { needs, account } = shop
  await buy(shop)
  const span = { accountId: account.accountId, after: needs.clock.now() }
  const until = needs.clock.now().add({ hours: 48 })
  const cutOff = await closeBankDaysWork.nextDue(needs, { ...span, until })
  assert.equal(String(cutOff), '2027-01-16T04:30:00Z')
  assert.equal(await closeBankDaysWork.nextDue(needs, { ...span, until: needs.clock.now() }), null)
  const runDue = (at: Temporal.Instant) =>
    runDueAt(needs, closeBankDaysWork, { accountId: account.accountId, at })
  assert.deepEqual(await runDue(needs.clock.now()), [])
  assert(cutOff)
  const due = await closeBankDaysWork.accountsDue(needs, cutOff)
  assert(due.includes(account.accountId))
  assert.deepEqual(
    (await runDue(cutOff)).map(({ text }) => text),
    ['The bank took 1 orders and refunds of merchant record 2'],
  )
  assert.deepEqual(await runDue(cutOff), [])
  const [record] = await findRecords(shop, '(B=3)')
  assert.equal(record?.['bank_date'], '2027-01-16T04:30:00.000Z')
})

for (const [moment, told] of [
  ['2026-09-11T20:16:00Z', 'Sep 11 2026  4:16PM'],
  ['2026-09-12T04:05:00Z', 'Sep 12 2026 12:05AM'],
  ['2026-12-01T17:00:00Z', 'Dec 1 2026 12:00PM'],
  ['2026-12-01T16:59:59Z', 'Dec 1 2026 11:59AM'],
] as const) {
  test(`${moment} is ${told} in New York`, () => {
    assert.equal(displayDate(Temporal.Instant.from(moment), 'America/New_York'), told)
  })
}
