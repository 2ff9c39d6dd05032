import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeFormSetting } from '#capabilities/forms/change-form-setting.operation.ts'
import { problemWords } from '#capabilities/form-pages/problem-words.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()
const merchant = merchantNumber(1)
const unchanged = { phone: null, origins: null, brands: null }

test("a record's phone and the origins that may embed its forms reach the form", async () => {
  const till = await openTill(world())
  const { accountId: account } = till.account
  const guest = await openForm(till)
  const change = {
    account,
    merchant,
    phone: '+1 217 555 0142',
    origins: 'https://shop.example, http://localhost:3000',
    brands: null,
  }
  assert((await changeFormSetting(till.needs, change)).ok)
  assert(
    (await changeFormSetting(till.needs, { account, merchant, ...unchanged })).ok,
    'keeps what is not named',
  )
  const { form } = await look(guest)
  assert.deepEqual(
    [form.phone, form.origins],
    ['+1 217 555 0142', ['https://shop.example', 'http://localhost:3000']],
  )
})

for (const origins of [
  'shop.example',
  'https://shop.example/path',
  'https://a:b@shop.example',
  '*',
  'ftp://x.example',
]) {
  test(`${origins} is no origin`, async () => {
    const till = await openTill(world())
    const { accountId: account } = till.account
    const changed = await changeFormSetting(till.needs, { account, merchant, ...unchanged, origins })
    assert.deepEqual(!changed.ok && changed.refusal.kind, 'no_origin')
  })
}

test('a record that is not there has no settings', async () => {
  const till = await openTill(world())
  const change = { account: till.account.accountId, merchant: merchantNumber(9), ...unchanged }
  const changed = await changeFormSetting(till.needs, change)
  assert.deepEqual(!changed.ok && changed.refusal.kind, 'merchant_not_found')
})

test('a card of a network that the record does not take is refused at its field, and named', async () => {
  const till = await openTill(world())
  const change = { account: till.account.accountId, merchant, ...unchanged }
  const wrong = await changeFormSetting(till.needs, { ...change, brands: 'VI,XX' })
  assert.deepEqual(!wrong.ok && wrong.refusal.details, { brand: 'XX' })
  assert((await changeFormSetting(till.needs, { ...change, brands: 'vi, MC' })).ok)
  const guest = await openForm(till)
  const sent = new Map([['number', '30569309025904']])
  const answer = await press(guest, Object.fromEntries(sent))
  assert(answer.kind === 'problems')
  const told = problemWords(await look(guest), tongueFor('en-US', ''), { problems: answer.problems, sent })
  assert.equal(told.get('number'), 'Corner Books does not take Diners Club; Visa and Mastercard work.')
  assert.deepEqual(await press(guest), { kind: 'paid' })
})
