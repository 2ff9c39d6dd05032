import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, eventsOf, openTill } from '../../../test/support/till.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import { dispatch } from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('a disabled webhook is told nothing more, and disabling it again is no error', async (t) => {
  const receiver = await openReceiver(t)
  const till = await openTill(world())
  const { members } = await call(till, 'Webhook/Add', { URL: receiver.url })
  const { WebhookID } = members
  for (let times = 0; times < 2; times++) {
    const disabled = await call(till, 'Webhook/Disable', { WebhookID })
    assert.equal(disabled.text, `Successfully Disabled Webhook ID : ${WebhookID}`)
  }
  await call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: 10 },
    MerchID: 1,
  })
  await dispatch(till.needs)
  assert.equal(receiver.received.length, 0)
  assert.deepEqual(await eventsOf(till), ['webhook.disabled', 'payment.approved'], 'told once')
})

test('a webhook that does not exist is not found', async () => {
  const till = await openTill(world())
  const refused = await call(till, 'Webhook/Disable', { WebhookID: 987_654_321 })
  assert.deepEqual([refused.code, refused.members], [6901, { WebhookID: 0 }])
})
