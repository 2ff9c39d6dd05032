import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { seedSandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import { listAccounts } from '#engine/merchants/find-account.operation.ts'
import { makeCaller } from '../support/consent-world.ts'
import { findRecords, proc } from '../support/order-world.ts'
import { useWorld } from '../support/session-world.ts'
import type { Till } from '../support/till.ts'

// What the specification says about the query language, asked of what every sandbox has from its first start,
// and of one charge by the seeded token. It is Jan 15 2027, 5:00 AM in the zone of record 1.

const paid = 'SALE SETTLED 25.5'
const refunded = 'SALE SETTLED 99.99'
const declined = 'SALE DECLINED 45'
const refund = 'CREDITVOID REFUND 40'
const again = 'RECURRING_SALE SETTLED 5'

const rules: readonly (readonly [rule: string, query: string, found: readonly string[]])[] = [
  ['a term stands in parentheses', '(B=6)', [declined]],
  ['terms are joined by AND', '(B=3)&&(L=99.99)', [refunded]],
  ['terms are joined by OR', '(B=5)||(B=6)', [refund, declined]],
  ['texts stand in quotes', "(M='sandbox-order-declined')&&(B=6)", [declined]],
  ['numbers do not', '(Q=0002)&&(B=6)', [declined]],
  ['>', '(L>45)&&(B=3)', [refunded]],
  ['<', '(L<25.5)&&(E=1)', [again]],
  ['>=', '(L>=45)&&(B<>2)&&(B<>7)', [refunded, declined]],
  ['<>', '(G<>1)', [again, refund]],
  ['a suffix', "(D LIKE '%der')&&(B=6)", [declined]],
  ['a prefix', "(D LIKE 'Rea%')&&(B=6)", [declined]],
  ['no other name', "(D LIKE '%son')", []],
  ['M/D/YYYY, a day by two bounds', "(C>='1/15/2027')&&(C<'1/16/2027')&&(B=6)", [declined]],
  ['the day after', "(C>='1/16/2027')&&(C<'1/17/2027')", []],
  ['M/D/YYYY hh:mm:ss AM', "(C>='1/15/2027 05:00:00 AM')&&(B=6)", [declined]],
  ['a second later', "(C>='1/15/2027 05:00:01 AM')", []],
  ['YYYY-MM-DD', "(C>='2027-01-15')&&(C<'2027-01-16')&&(B=6)", [declined]],
  ['final records only', '(B=3)&&(E=1)', [again, refunded, paid]],
  ['refunds', '(G=2)', [refund]],
  ['charges from a stored card', '(G=3)', [again]],
  ['locked ones, by the second chart', "(E<>'0')", []],
  ['by origin, by the second chart', "(U='WID')&&(B=2)", [refunded, paid]],
  ['by the type of bank debits', '(K=1)', []],
  ['everything, by the second chart', '(K=-1)&&(B=3)', [declined]],
]

describe('the seeded orders', () => {
  const world = useWorld()
  let till: Till | null = null
  before(async () => {
    const needs = world()
    const { orders } = await seedSandbox(needs)
    const [account] = await listAccounts(needs)
    assert(account)
    till = { needs, account, caller: await makeCaller(needs, account) }
    assert.equal((await proc(till, orders.token, 5)).code, 0)
  })

  for (const [rule, query, found] of rules) {
    test(`${rule}: ${query}`, async () => {
      assert(till)
      const records = await findRecords(till, query)
      assert.deepEqual(
        records.map(({ Action, Status, Amount }) => `${Action} ${Status} ${Amount}`),
        found,
      )
    })
  }

  test('one is found by its transaction, its consent and its token', async () => {
    assert(till)
    const [charged, origin] = await findRecords(till, '(G=3)||(L=25.5)&&(B=3)')
    assert(charged && origin)
    const own = await findRecords(till, `(F='${origin['Trans_ID']}')`)
    assert.deepEqual(
      own.map(({ Result, Status }) => `${Result}/${Status}`),
      ['REDIRECT/REDIRECT', 'REDIRECT/3DS', 'SUCCESS/SETTLED'],
    )
    const token = `'${origin['Recurring_Token']}'`
    for (const letter of ['W', 'P'])
      assert.deepEqual(await findRecords(till, `(${letter}=${token})`), [charged, origin])
    assert.deepEqual(await findRecords(till, `(H=${origin['ID']})`), [origin])
  })
})
