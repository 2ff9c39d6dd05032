import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineFamilyOf } from '#capabilities/form-payments/decline-family.ts'

const families: readonly (readonly [codes: string, family: string])[] = [
  ['91 92 96', 'unreachable'],
  ['1A 65A', 'unconfirmed'],
  ['01 04 05 41 51 54 82 R0 19', 'declined'],
]

for (const [codes, family] of families) {
  for (const code of codes.split(' ')) {
    test(`to a payer, a decline with ${code} is ${family}`, () => {
      assert.equal(declineFamilyOf({ state: 'declined', resultCode: code }), family)
    })
  }
}
