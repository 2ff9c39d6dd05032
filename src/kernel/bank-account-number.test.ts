import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'

test('an account number is read as people write it', () => {
  assert.equal(BankAccountNumber.parse('0001 2345-6789')?.reveal(), '000123456789')
})

for (const text of ['', '123', '1'.repeat(18), '12a4', '1234.5']) {
  test(`${JSON.stringify(text)} is no account number`, () =>
    assert.equal(BankAccountNumber.parse(text), null))
}

test('it shows its last four digits and nothing else, however it is printed', () => {
  const number = BankAccountNumber.parse('000123456789')
  assert(number)
  const printed = [String(number), `${number}`, JSON.stringify({ number }), inspect({ number })].join()
  assert(!printed.includes('12345'))
  assert.match(printed, /bank account 6789/)
})
