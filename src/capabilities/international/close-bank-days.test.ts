import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { buy, findRecords, openShop } from '../../../test/support/order-world.ts'
import { advanceTo } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import type { Till } from '../../../test/support/till.ts'

const world = useWorld()

async function bankDateOf(shop: Till, { transactionId }: { readonly transactionId: string }) {
  const [paid] = await findRecords(shop, `(F='${transactionId}')&&(B=3)&&(E=1)`)
  return paid?.['bank_date']
}

for (const isAlone of [true, false]) {
  const beside = isAlone ? 'alone' : 'beside an older one'
  test(`an order at the very moment of the bank cut-off, ${beside}, waits for the next one`, async () => {
    const shop = await openShop(world())
    const { accountId } = shop.account
    if (!isAlone) await buy(shop)
    advanceTo(shop.needs, '2027-01-16T04:30:00Z')
    const order = await buy(shop)
    await runDueNow(shop.needs, closeBankDaysWork, accountId)
    assert.equal(await bankDateOf(shop, order), null)
    advanceTo(shop.needs, '2027-01-17T04:30:00Z')
    await runDueNow(shop.needs, closeBankDaysWork, accountId)
    assert.equal(await bankDateOf(shop, order), '2027-01-17T04:30:00.000Z')
  })
}
