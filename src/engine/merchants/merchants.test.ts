import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountDefaults } from '#engine/merchants/account.ts'
import { changeAccount } from '#engine/merchants/change-account.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeAccount, makeMerchant, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('merchant records count from 1 within their account, also when many are added at once', async () => {
  const needs = world()
  const [mine, theirs] = [await makeAccount(needs), await makeAccount(needs)]
  await Promise.all(Array.from({ length: 7 }, () => makeMerchant(needs, mine)))
  const numbers = async (id: typeof mine.accountId) =>
    (await listMerchants(needs, id)).map((merchant) => merchant.merchantNumber)
  assert.deepEqual(await numbers(mine.accountId), [1, 2, 3, 4, 5, 6, 7, 8])
  assert.deepEqual(await numbers(theirs.accountId), [1])
})

test('changing a record leaves what is not named, and the records of others, as they are', async () => {
  const needs = world()
  const [mine, theirs] = [await makeAccount(needs), await makeAccount(needs)]
  const changed = await changeMerchant(needs, {
    account: mine.accountId,
    merchant: merchantNumber(1),
    changes: { location: 'Harbour' },
  })
  assert.ok(changed.ok)
  assert.deepEqual([changed.value.location, changed.value.name], ['Harbour', 'Corner Books'])
  assert.equal((await listMerchants(needs, theirs.accountId))[0]?.location, 'Main Street')
  const missing = { account: mine.accountId, merchant: merchantNumber(9), changes: {} }
  assert.equal((await changeMerchant(needs, missing)).ok, false)
})

test('an account code is two letters and seven digits, and is given once', async () => {
  const needs = world()
  const { accountCode } = await makeAccount(needs)
  const again = await createAccount(needs, { accountCode, settings: accountDefaults })
  assert.equal(again.ok ? 'made' : again.refusal.kind, 'account_code_taken')
  for (const wrong of ['', 'TG1', 'tg0000001', 'TG00000012', '110000001']) {
    const made = await createAccount(needs, { accountCode: wrong, settings: accountDefaults })
    assert.equal(made.ok ? 'made' : made.refusal.kind, 'account_code_malformed')
  }
})

test('changing an account leaves what is not named as it is', async () => {
  const needs = world()
  const { accountCode } = await makeAccount(needs, { description: 'Before', allowsPartialApprovals: true })
  const changed = await changeAccount(needs, { accountCode, changes: { bindsAddress: true } })
  assert.ok(changed.ok)
  const { description, bindsAddress, allowsPartialApprovals } = changed.value
  assert.deepEqual([description, bindsAddress, allowsPartialApprovals], ['Before', true, true])
  assert.equal((await changeAccount(needs, { accountCode: 'ZZ0000000', changes: {} })).ok, false)
})
