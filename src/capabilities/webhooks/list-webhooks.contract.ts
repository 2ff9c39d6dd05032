import { Type } from 'typebox'
import type { ListedWebhook } from '#capabilities/webhooks/list-webhooks.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'
import { ok } from '#kernel/result.ts'

const WebhookRecord = Type.Object(
  {
    ID: Type.Integer({ description: 'The webhook, elsewhere called WebhookID.' }),
    URL: WireText(2_048, 'Where events are posted to.'),
    EventTypes: Type.Array(Type.String(), { description: 'Which events; empty: all of them.' }),
    Description: WireText(200, 'As it was given.'),
    IsEnabled: Type.Boolean({ description: 'Whether it is told of events.' }),
    DisabledBecause: WireText(75, 'Why not; empty while it is enabled.'),
    Waiting: Type.Integer({ description: 'Deliveries that will be tried, again or for the first time.' }),
    Undelivered: Type.Integer({ description: 'Deliveries that were given up and can be replayed.' }),
    CreatedOn: WireMoment('When it was added.'),
    CreatedBy: WireText(75, 'The API user who added it, or the operator.'),
    MerchID: Type.Integer({ description: 'The merchant record whose events are told; 0 for all.' }),
  },
  { title: 'WebhookRecord' },
)

export const listWebhooksContract = defineContract({
  path: 'Webhook/List',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Webhook_ListResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'List webhooks',
  description:
    'Tells which addresses are told of events, and what has not arrived there. A token for one merchant ' +
    'record sees those of that record alone.',
  request: Type.Object({}),
  result: Type.Object({
    NumRecords: Type.Integer({ description: 'How many webhooks are returned.' }),
    Webhooks: Type.Array(WebhookRecord, { description: 'In the order in which they were added.' }),
  }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited'],
  example: {
    request: {},
    result: {
      NumRecords: 1,
      Webhooks: [
        {
          ID: 3,
          URL: 'https://shop.example/tillgate',
          EventTypes: ['payment.approved', 'payment.declined'],
          Description: 'Web shop',
          IsEnabled: true,
          DisabledBecause: '',
          Waiting: 0,
          Undelivered: 0,
          CreatedOn: '2027-01-15T10:00:00.000Z',
          CreatedBy: '1',
          MerchID: 0,
        },
      ],
    },
    message: 'Successfully Returned Webhook Records : 1',
  },
  fromWire: () => ok(null),
  toWire: (webhooks: readonly ListedWebhook[]) => ({
    message: `Successfully Returned Webhook Records : ${webhooks.length}`,
    members: { NumRecords: webhooks.length, Webhooks: webhooks.map(webhookToWire) },
  }),
  refusedToWire: () => ({ NumRecords: 0, Webhooks: [] }),
})

function webhookToWire(webhook: ListedWebhook): WireOf<typeof WebhookRecord> {
  return {
    ID: Number(webhook.endpointId),
    URL: webhook.url,
    EventTypes: [...webhook.eventTypes],
    Description: webhook.description,
    IsEnabled: webhook.isActive,
    DisabledBecause: webhook.disabledBecause,
    Waiting: webhook.waiting,
    Undelivered: webhook.dead,
    CreatedOn: printMoment(webhook.createdAt),
    CreatedBy: webhook.createdBy,
    MerchID: webhook.merchantNumber ?? 0,
  }
}
