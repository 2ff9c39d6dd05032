import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { accountDefaults } from '#engine/merchants/account.ts'
import { changeAccount } from '#engine/merchants/change-account.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantDefaults, type MerchantSettings } from '#engine/merchants/merchant.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
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

test('whoever remembers the sessions of an account hears that its settings have changed', async () => {
  const needs = world()
  const { accountCode, accountId } = await makeAccount(needs)
  const client = new pg.Client({ ...needs.connection })
  await client.connect()
  try {
    await client.query('listen tillgate_sessions')
    const told: (string | undefined)[] = []
    client.on('notification', ({ payload }) => told.push(payload))
    // A new record changes the account's row too, and no session.
    await makeMerchant(needs, await makeAccount(needs))
    await changeAccount(needs, { accountCode, changes: { allowsPartialApprovals: true } })
    // What was told before it comes before its answer.
    await client.query('select 1')
    assert.deepEqual(told, [String(accountId)])
    const remembered = [
      'binds_address',
      'allows_partial_approvals',
      'allows_alternate_merchants',
      'verifies_cards',
    ]
    for (const [at, setting] of remembered.entries()) {
      await client.query(`update account set ${setting} = not ${setting} where account_id = $1`, [accountId])
      assert.equal(told.length, at + 2, setting)
    }
  } finally {
    await client.end()
  }
})

function currencyOf(code: string): Currency {
  const currency = currencyCode(code)
  assert.ok(currency)
  return currency
}

test('a record keeps its fee, its region and what its consents may spend', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const settings = {
    region: 'OK',
    isRegionConfirmed: true,
    feeKind: 'convenience',
    feeBasisPoints: 125,
    feeFixedMinor: 250n,
    limitPerChargeMinor: 50_000n,
    limitLifetimeMinor: 2n ** 53n + 1n,
    consentDays: 90,
    lookAlikeSeconds: 300,
    mailsReceipts: true,
  } as const
  await makeMerchant(needs, account, settings)
  const [plain, made] = await listMerchants(needs, account.accountId)
  assert.partialDeepStrictEqual(made, settings)
  assert.partialDeepStrictEqual(plain, { feeKind: 'none', region: '', limitPerChargeMinor: 10_000_000n })
})

test('a consent allows 100,000 a charge and 1,000,000 in all unless told, in every currency', () => {
  const limits = ['USD', 'JPY', 'KWD'].map((code) => {
    const { limitPerChargeMinor, limitLifetimeMinor, consentDays } = merchantDefaults(currencyOf(code))
    return [limitPerChargeMinor, limitLifetimeMinor, consentDays]
  })
  assert.deepEqual(limits, [
    [10_000_000n, 100_000_000n, 365],
    [100_000n, 1_000_000n, 365],
    [100_000_000n, 1_000_000_000n, 365],
  ])
})

const surcharge = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const
const convenience = { feeKind: 'convenience', feeFixedMinor: 250n } as const

type Settings = Partial<MerchantSettings>
const changes: readonly (readonly [string, Settings, Settings, Settings | string])[] = [
  ['a percentage alone keeps the kind of fee', surcharge, { feeBasisPoints: 200 }, { feeKind: 'surcharge' }],
  ['the same kind again keeps its percentage', surcharge, { feeKind: 'surcharge' }, { feeBasisPoints: 300 }],
  ['no fee any more forgets its figures', surcharge, { feeKind: 'none' }, { feeBasisPoints: 0 }],
  ['another kind of fee begins afresh', surcharge, convenience, { feeBasisPoints: 0, feeFixedMinor: 250n }],
  ['an amount without a kind of fee', {}, { feeFixedMinor: 1n }, 'fee_kind_not_chosen'],
  ['a surcharge without a percentage', convenience, { feeKind: 'surcharge' }, 'surcharge_without_percent'],
  ['a surcharge with a fixed amount', surcharge, { feeFixedMinor: 1n }, 'surcharge_with_fixed_amount'],
  ['a surcharge without a region', surcharge, { region: '' }, 'surcharge_without_region'],
  ['a convenience fee of nothing', convenience, { feeFixedMinor: 0n }, 'convenience_without_fixed_amount'],
  ['a percentage above 10', surcharge, { feeBasisPoints: 1_001 }, 'fee_percent_out_of_range'],
  ['a limit of nothing', {}, { limitPerChargeMinor: 0n }, 'limit_not_positive'],
  ['a consent of no days', {}, { consentDays: 0 }, 'consent_days_out_of_range'],
  ['look-alikes before now', {}, { lookAlikeSeconds: -1 }, 'look_alike_seconds_out_of_range'],
  ['look-alikes of a day', {}, { lookAlikeSeconds: 28_801 }, 'look_alike_seconds_out_of_range'],
  [
    'a confirmation is for one region',
    { region: 'ME', isRegionConfirmed: true },
    { region: 'OK' },
    { isRegionConfirmed: false },
  ],
  [
    'a region can be confirmed as it is named',
    { region: 'ME' },
    { region: 'OK', isRegionConfirmed: true },
    { isRegionConfirmed: true },
  ],
  [
    'amounts keep their figure in another currency',
    convenience,
    { currency: currencyOf('KWD') },
    { feeFixedMinor: 2_500n, limitPerChargeMinor: 100_000_000n, limitLifetimeMinor: 1_000_000_000n },
  ],
  ['half a yen', convenience, { currency: currencyOf('JPY') }, 'amount_not_in_currency'],
  [
    'an amount named anew beside its currency',
    convenience,
    { currency: currencyOf('JPY'), feeFixedMinor: 300n },
    { feeFixedMinor: 300n, limitPerChargeMinor: 100_000n },
  ],
]
for (const [sentence, before, change, expected] of changes) {
  test(typeof expected === 'string' ? `refuses ${sentence}` : sentence, async () => {
    const needs = world()
    const account = await makeAccount(needs)
    await makeMerchant(needs, account, before)
    const which = { account: account.accountId, merchant: merchantNumber(2) }
    const changed = await changeMerchant(needs, { ...which, changes: change })
    if (typeof expected === 'string')
      return assert.equal(changed.ok ? 'changed' : changed.refusal.kind, expected)
    assert.ok(changed.ok)
    assert.partialDeepStrictEqual(changed.value, expected)
  })
}

test('a record that contradicts itself is not added', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await assert.rejects(makeMerchant(needs, account, { feeKind: 'surcharge' }), /surcharge_without_percent/)
})
