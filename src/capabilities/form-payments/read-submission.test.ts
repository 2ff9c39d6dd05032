import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPoint } from '#capabilities/form-payments/read-submission.ts'
import { openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

const sums: readonly [typed: string, decimals: number, read: string][] = [
  ['40.50', 2, '40.50'],
  ['40,5', 2, '40.5'],
  ['1,234', 2, '1234'],
  ['1.234', 2, ''],
  ['1.234,50', 2, '1234.50'],
  ['1,234.50', 2, '1234.50'],
  ['1.234.567', 2, '1234567'],
  ['1.234', 3, '1.234'],
  ['1500', 0, '1500'],
  ['15.5', 0, ''],
]
for (const [typed, decimals, read] of sums) {
  test(`${typed} with ${decimals} decimals is ${read === '' ? 'no sum' : read}`, () => {
    assert.equal(withPoint(typed, decimals), read)
  })
}

const codes: readonly [zip: string, country: string, isTaken: boolean][] = [
  ['62701', '', true],
  ['SW1A 1AA', '', true],
  ['K1A-0B1', '', true],
  ['75008', 'FR', true],
  ['62701-1234', 'US', true],
  ['6270', 'US', false],
  ['12', '', false],
  ['12345678901', '', false],
  ['<b>', '', false],
]
for (const [zip, country, isTaken] of codes) {
  const where = country || 'an unknown country'
  test(`the postal code ${zip} of ${where} is ${isTaken ? 'taken' : 'refused'}`, async () => {
    const payer = { Firstname: 'Ada', Lastname: 'Miller', BillingAddress: { Country: country } }
    const guest = await openForm(await openTill(world()), { Payer: payer })
    assert.equal((await press(guest, { zip })).kind, isTaken ? 'paid' : 'problems')
  })
}

const routings: readonly [typed: string, problem: string][] = [
  ['', 'routing_missing'],
  ['11000000', 'routing_form'],
  ['110000001', 'routing_form'],
]
for (const [routing, problem] of routings) {
  test(`the routing number "${routing}" is told as ${problem}`, async () => {
    const guest = await openForm(await openTill(world()))
    const answer = await press(guest, { method: 'bank', routing, account: '000123456789' })
    assert(answer.kind === 'problems')
    assert.equal(answer.problems.get('routing'), problem)
  })
}
