import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeRuleOf, printRule } from '#engine/fees/fee-rule.ts'
import { merchantDefaults, type MerchantSettings } from '#engine/merchants/merchant.ts'
import { currencyCode } from '#kernel/currency.ts'

const rules: readonly (readonly [string, string, Partial<MerchantSettings>])[] = [
  ['no fee', 'USD', {}],
  ['surcharge 3 %', 'USD', { feeKind: 'surcharge', feeBasisPoints: 300 }],
  ['surcharge 10 %', 'USD', { feeKind: 'surcharge', feeBasisPoints: 1_000 }],
  ['surcharge 2.75 %', 'USD', { feeKind: 'surcharge', feeBasisPoints: 275 }],
  ['surcharge 0.5 %', 'USD', { feeKind: 'surcharge', feeBasisPoints: 50 }],
  ['convenience fee 2.50', 'USD', { feeKind: 'convenience', feeFixedMinor: 250n }],
  ['convenience fee 250', 'JPY', { feeKind: 'convenience', feeFixedMinor: 250n }],
  [
    'convenience fee 0.250 and 1 %',
    'KWD',
    { feeKind: 'convenience', feeFixedMinor: 250n, feeBasisPoints: 100 },
  ],
]
for (const [printed, code, settings] of rules) {
  test(`a record in ${code} can have the rule: ${printed}`, () => {
    const currency = currencyCode(code)
    assert.ok(currency)
    assert.equal(printRule(feeRuleOf({ ...merchantDefaults(currency), ...settings })), printed)
  })
}
