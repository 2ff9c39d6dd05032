import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveUpOrdersWork } from '#capabilities/international/give-up-orders.task.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import {
  buy,
  cards,
  challenge,
  comeBack,
  confirmAtBank,
  openShop,
  stepsOf,
} from '../../../test/support/order-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import type { Till } from '../../../test/support/till.ts'

const world = useWorld()

const redirected = ['SALE REDIRECT/REDIRECT 25.5', 'SALE REDIRECT/3DS 25.5']

async function runDue({ needs, account }: Till): Promise<readonly string[]> {
  return (await runDueNow(needs, giveUpOrdersWork, account.accountId)).map(({ what }) => what)
}

test('a payer who never comes back loses the order after ten minutes', async () => {
  const shop = await openShop(world())
  const { needs } = shop
  const order = await challenge(shop)
  const after = needs.clock.now()
  const span = { accountId: shop.account.accountId, after, until: after.add({ hours: 1 }) }
  assert.equal(String(await giveUpOrdersWork.nextDue(needs, span)), String(order.answerUntil))
  needs.clock.advance({ minutes: 9 })
  assert.deepEqual(await runDue(shop), [])
  needs.clock.advance({ minutes: 1 })
  const due = await giveUpOrdersWork.accountsDue(needs, needs.clock.now())
  assert(due.includes(shop.account.accountId))
  assert.deepEqual(await runDue(shop), ['order.given_up'])
  assert.deepEqual(await runDue(shop), [], 'once')
  assert.deepEqual(await stepsOf(shop, order.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
})

test('a payer who confirms too late is charged nothing, given up by then or not', async () => {
  const shop = await openShop(world())
  const [first, second] = [await challenge(shop), await challenge(shop)]
  await confirmAtBank(shop, first)
  await confirmAtBank(shop, second)
  shop.needs.clock.advance({ minutes: 10 })
  const early = await comeBack(shop, first)
  assert.deepEqual(await runDue(shop), ['order.given_up'])
  const late = await comeBack(shop, second)
  for (const finished of [early, late]) {
    assert(finished.ok && finished.value.kind === 'paid')
    assert.deepEqual([finished.value.isApproved, finished.value.because], [false, 'timed_out'])
  }
  assert.deepEqual(await shop.needs.bank.log.read({ last: 10 }), [])
})

// A clock that goes on by itself whenever it is read, and by so much when the payer's bank is asked.
function slowBank(needs: World, minutes: number): World {
  const ask: World['payerAuthentication']['ask'] = async (question, signal) => {
    const answer = await needs.payerAuthentication.ask(question, signal)
    needs.clock.advance({ minutes })
    return answer
  }
  const outcomeOf: World['payerAuthentication']['outcomeOf'] = async (id, signal) => {
    const outcome = await needs.payerAuthentication.outcomeOf(id, signal)
    needs.clock.advance({ minutes })
    return outcome
  }
  return { ...needs, payerAuthentication: { ...needs.payerAuthentication, ask, outcomeOf } }
}

test('a payer whose time ends while the bank is asked about the challenge is told so', async () => {
  const needs = world()
  const shop = await openShop(needs)
  const order = await challenge(shop)
  await confirmAtBank(shop, order)
  needs.clock.advance({ minutes: 9 })
  const finished = await comeBack({ ...shop, needs: slowBank(needs, 1) }, order)
  assert(finished.ok && finished.value.kind === 'paid')
  assert.deepEqual([finished.value.isApproved, finished.value.because], [false, 'timed_out'])
  assert.deepEqual(await stepsOf(shop, order.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
})

test('a payer whose bank takes longer than there is time for is not charged', async () => {
  const shop = await openShop(slowBank(world(), 10))
  const paid = await buy(shop)
  assert.deepEqual([paid.isApproved, paid.because], [false, 'timed_out'])
  assert.deepEqual(await stepsOf(shop, paid.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
  assert.deepEqual(await shop.needs.bank.log.read({ last: 10 }), [])
})

test('an order that was given up while its bank was asked gets no further step', async () => {
  const needs = world()
  const shop = await openShop(needs)
  const late = slowBank(needs, 10)
  const ask: World['payerAuthentication']['ask'] = async (question, signal) => {
    const answer = await late.payerAuthentication.ask(question, signal)
    assert.deepEqual(await runDue(shop), ['order.given_up'])
    return answer
  }
  for (const card of [cards.recognized, cards.challenged, cards.rejected]) {
    const payerAuthentication = { ...needs.payerAuthentication, ask }
    const paid = await buy({ ...shop, needs: { ...needs, payerAuthentication } }, { card })
    assert.deepEqual([paid.isApproved, paid.because], [false, 'timed_out'])
    const steps = await stepsOf(shop, paid.transactionId)
    assert.deepEqual(steps, ['SALE REDIRECT/REDIRECT 25.5', 'SALE DECLINED/DECLINED 25.5'])
  }
})
