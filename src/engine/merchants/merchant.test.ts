import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantDefaults, merchantFor, merchantsFor } from '#engine/merchants/merchant.ts'
import { currencyCode } from '#kernel/currency.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'

const currency = currencyCode('USD')
assert.ok(currency)
const defaults = merchantDefaults(currency)
const merchants = [1, 2].map((number) => ({
  ...defaults,
  name: `Till ${number}`,
  accountId: accountId(1n),
  merchantNumber: merchantNumber(number),
}))

const callers = [
  ['for all records', null, 2, 'Till 2', ['Till 1', 'Till 2']],
  ['for the record it names', 2, 2, 'Till 2', ['Till 2']],
  ['for another record', 1, 2, undefined, ['Till 1']],
  ['for all records, naming one that does not exist', null, 3, undefined, ['Till 1', 'Till 2']],
  ['for a record that does not exist', 3, 3, undefined, []],
] as const
for (const [who, only, asked, found, all] of callers) {
  test(`a token ${who} gets ${found ?? 'none'}, and sees ${all.join(' and ') || 'none'}`, () => {
    const caller = { merchantNumber: only === null ? null : merchantNumber(only) }
    assert.equal(merchantFor(caller, merchants, merchantNumber(asked))?.name, found)
    assert.deepEqual(
      merchantsFor(caller, merchants).map(({ name }) => name),
      all,
    )
  })
}
