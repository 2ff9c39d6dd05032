import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayLookLikeCards } from '#capabilities/currency/references-like-cards.operation.ts'
import type { CurrencyOwner } from '#capabilities/wire/contract.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const byRecord: CurrencyOwner = { kind: 'record', path: 'MerchID' }
const byTransaction: CurrencyOwner = { kind: 'transaction', path: 'TxID' }

// The references of record 1 look like card numbers, and those of record 2 do not.
async function openTwo(): Promise<Till> {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account)
  const changed = await changeMerchant(till.needs, {
    account: till.account.accountId,
    merchant: merchantNumber(1),
    changes: { cardLikeReferencesReason: 'Order numbers of the shop' },
  })
  assert(changed.ok)
  return till
}

function judge({ needs, caller }: Till, owner: CurrencyOwner | null, body: object) {
  return mayLookLikeCards(needs, caller, { owner, body })
}

test('a reference may look like a card number where that is recorded of its record', async () => {
  const till = await openTwo()
  assert.ok(await judge(till, byRecord, { MerchID: 1 }))
  assert.ok(await judge(till, byTransaction, { TxID: await sell(till, 5) }))
  assert.ok(await judge(till, null, {}))
})

test('of another record it is not', async () => {
  const till = await openTwo()
  const caller = { ...till.caller, merchantNumber: merchantNumber(2) }
  assert.equal(await judge(till, byRecord, { MerchID: 2 }), false)
  assert.equal(await judge(till, byRecord, { MerchID: 3 }), false)
  assert.equal(await judge({ ...till, caller }, null, {}), false)
})

test('the operator ends that with an empty reason', async () => {
  const till = await openTwo()
  const { accountId: account } = till.account
  const changes = { cardLikeReferencesReason: '' }
  await changeMerchant(till.needs, { account, merchant: merchantNumber(1), changes })
  assert.equal(await judge(till, byRecord, { MerchID: 1 }), false)
  assert.equal(await judge(till, null, {}), false)
})
