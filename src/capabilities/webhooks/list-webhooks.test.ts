import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('all webhooks of the account are listed, disabled ones too, and none of another', async () => {
  const needs = world()
  const [till, other] = [await openTill(needs), await openTill(needs)]
  await call(other, 'Webhook/Add', { URL: 'https://other.example/' })
  const EventTypes = ['batch.closed', 'batch.failed']
  const first = await call(till, 'Webhook/Add', { URL: 'https://shop.example/a', EventTypes })
  const second = await call(till, 'Webhook/Add', { URL: 'https://shop.example/b', Description: 'Books' })
  await call(till, 'Webhook/Disable', { WebhookID: second.members['WebhookID'] })
  const { text, members } = await call(till, 'Webhook/List', {})
  assert.equal(text, 'Successfully Returned Webhook Records : 2')
  const common = { Waiting: 0, Undelivered: 0, CreatedOn: '2027-01-15T10:00:00.000Z', MerchID: 0 }
  const CreatedBy = String(till.caller.userId)
  assert.deepEqual(members, {
    NumRecords: 2,
    Webhooks: [
      {
        ID: first.members['WebhookID'],
        URL: 'https://shop.example/a',
        EventTypes,
        Description: '',
        IsEnabled: true,
        DisabledBecause: '',
        ...common,
        CreatedBy,
      },
      {
        ID: second.members['WebhookID'],
        URL: 'https://shop.example/b',
        EventTypes: [],
        Description: 'Books',
        IsEnabled: false,
        DisabledBecause: 'On request',
        ...common,
        CreatedBy,
      },
    ],
  })
})
