import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeConsent } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

const forgetAgreedStatement = statement(
  'test_forget_what_was_agreed',
  [int8],
  {},
  `update consent
   set agreed_per_charge_minor = null, agreed_lifetime_minor = null, agreed_ends_on = null
   where consent_id = $1`,
)

async function agree({ needs, caller }: Till): Promise<number> {
  return Number(await makeConsent(needs, caller))
}

// The rows of its receipt that say what may be charged, and when that holds.
async function limitsOf(till: Till, consent: number): Promise<Readonly<Record<string, string>>> {
  const receipt = { REFID: String(consent), ReceiptType: 4, Recipient: 2 }
  const { members } = await call(till, 'Receipt/ReceiptGenerate', receipt)
  const rows = String(members['ReceiptHtml']).matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)
  const told = [...rows].map(([, label = '', value = '']) => [label, value] as const)
  return Object.fromEntries(told.filter(([label]) => /Valid to|At most|As of/.test(label)))
}

const agreed = {
  'Valid to': 'Jan 15, 2028',
  'At most a charge': '$100,000.00',
  'At most in all': '$1,000,000.00',
}

test('the receipt of a consent says what was agreed', async () => {
  const till = await openTill(world())
  assert.deepEqual(await limitsOf(till, await agree(till)), agreed)
})

test('the receipt of a consent that was changed says what was agreed, and what holds by now', async () => {
  const till = await openTill(world())
  const ConsentID = await agree(till)
  const ConsentMods = { LimitPerCharge: 200_000, NumDays: 20 }
  assert.equal((await call(till, 'ConsentAnnual/Modify', { ConsentID, ConsentMods })).code, 0)
  const again = { ConsentID, ConsentMods: { LimitPerCharge: 300_000 } }
  assert.equal((await call(till, 'ConsentAnnual/Modify', again)).code, 0)
  till.needs.clock.advance({ hours: 24 })
  assert.deepEqual(await limitsOf(till, ConsentID), {
    ...agreed,
    'As of': 'Jan 16, 2027, 5:00 AM',
    'Valid to, by now': 'Feb 4, 2027',
    'At most a charge, by now': '$300,000.00',
  })
})

test('the receipt of a consent whose first limits nobody wrote down calls none of them agreed', async () => {
  const till = await openTill(world())
  const consent = await agree(till)
  await till.needs.db.run(forgetAgreedStatement, [BigInt(consent)])
  const byNow = Object.entries(agreed).map(([label, value]) => [`${label}, by now`, value])
  const asOf = { 'As of': 'Jan 15, 2027, 5:00 AM' }
  assert.deepEqual(await limitsOf(till, consent), { ...asOf, ...Object.fromEntries(byNow) })
})
