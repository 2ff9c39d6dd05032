import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { buy, cards, findRecords, openShop, proc } from '../../../test/support/order-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import type { Till } from '../../../test/support/till.ts'

const world = useWorld()

function dieBeforeT2(point: string): void {
  if (point === 'before_t2') throw new Crash('as if the bank were still silent')
}

// A gateway that hears nothing of what it has begun.
function deaf(shop: Till): Till {
  const { needs } = shop
  return {
    ...shop,
    needs: { ...needs, ...paymentEngine({ ...needs, crashpoint: dieBeforeT2 }), clock: needs.clock },
  }
}

async function resolve(needs: World): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds += 1) {
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
  }
}

test('a charge that is under way is found as pending, by whatever it is asked for', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const { consentToken } = await buy(shop, { saves: true })
  await assert.rejects(proc(deaf(shop), consentToken, 5), Crash)
  const queries = [
    '(G=3)',
    '(B=1)&&(E=4)',
    '(E=4)',
    '(L=5)',
    `(W='${consentToken}')&&(G=3)`,
    "(M='order-1001')&&(G=3)",
    "(D='Example')&&(L<6)",
    "(A=2)&&(E=4)&&(C<'2099-01-01')",
    "(U='API')&&(L=5)",
    "(C>='2027-01-15')&&(L=5)",
  ]
  for (const query of queries) {
    const found = await findRecords(shop, query)
    assert.deepEqual(
      found.map(({ ID, Action, Result, Status, Amount }) => [ID, Action, Result, Status, Amount]),
      [[0, 'RECURRING_SALE', 'ACCEPTED', 'PENDING', 5]],
      query,
    )
  }
  const [pending] = await findRecords(shop, '(E=4)')
  const { Trans_ID, Recurring_Token, Card, Lname, Currency, bank_date } = pending ?? {}
  assert.deepEqual(
    [Recurring_Token, Card, Lname, Currency, bank_date],
    [consentToken, '3055', 'Example', 'EUR', null],
  )
  for (const query of ['(G=3)&&(B=3)', '(G=3)&&(E=1)', '(L>5)&&(G=3)', '(A=2)&&(G=2)'])
    assert.deepEqual(await findRecords(shop, query), [], query)
  assert.deepEqual(await findRecords(other, '(E=4)'), [], 'nobody sees the charges of others')

  await resolve(needs)
  const steps = await findRecords(shop, `(F='${Trans_ID}')`)
  assert.deepEqual(
    steps.map(({ ID, Result, Status }) => [Number(ID) > 0, Result, Status]),
    [
      [true, 'ACCEPTED', 'PENDING'],
      [true, 'SUCCESS', 'REVERSAL'],
    ],
    'once it has records, those alone are told; without a key nobody has heard of it',
  )
})

test('a charge that is under way is the last step of its order', async () => {
  const needs = world()
  const shop = await openShop(needs)
  await assert.rejects(buy(deaf(shop), { card: cards.recognized }), Crash)
  const steps = async () =>
    (await findRecords(shop, "(D='Example')")).map(({ Result, Status }) => `${Result}/${Status}`)
  const redirected = ['REDIRECT/REDIRECT', 'REDIRECT/3DS']
  assert.deepEqual(await steps(), [...redirected, 'ACCEPTED/PENDING'])
  await resolve(needs)
  assert.deepEqual(await steps(), [...redirected, 'ACCEPTED/PENDING', 'SUCCESS/SETTLED'])
})
