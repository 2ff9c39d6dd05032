import { Type } from 'typebox'
import type { AddedWebhook, WebhookWish } from '#capabilities/webhooks/add-webhook.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { published } from '#capabilities/wire/published.wire.ts'
import { outOfRange, WireAddress, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { type EventType, eventTypes, isEventType } from '#engine/events/event-registry.ts'
import { ok, type Result } from '#kernel/result.ts'

const EventTypeRequest = Type.String({
  maxLength: 40,
  description: 'A type of event, such as payment.approved.',
  ...published({ pattern: `^\\s*(${eventTypes.join('|').replaceAll('.', String.raw`\.`)})\\s*$` }),
})

const AddRequest = Type.Object({
  URL: WireAddress(2_048, 'Where events are posted to: https, without user name or password.'),
  EventTypes: Type.Optional(
    Type.Array(EventTypeRequest, {
      maxItems: 100,
      description: 'Which events; absent or empty: all of them.',
    }),
  ),
  Description: Type.Optional(WireText(200, 'For your own people.')),
})

export const addWebhookContract = defineContract({
  path: 'Webhook/Add',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Webhook_AddResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Add a webhook',
  description:
    'Registers an address that is told of events of the account from now on (docs/webhooks.md); with a ' +
    'token for one merchant record, of events of that record alone. An account has at most 20 of them, and ' +
    'each record 20 of its own, each address once. The types of events stand in docs/events.md.',
  request: AddRequest,
  result: Type.Object({
    WebhookID: Type.Integer({ description: 'The webhook; 0 when none was added.' }),
    Secret: WireText(75, 'Verifies the signatures. Shown this once; keep it safe.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'value_out_of_range',
    'webhook_address_refused',
    'webhook_exists',
    'too_many_webhooks',
  ],
  example: {
    request: {
      URL: 'https://shop.example/tillgate',
      EventTypes: ['payment.approved', 'payment.declined'],
      Description: 'Web shop',
    },
    result: { WebhookID: 3, Secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
    message: 'Successfully Added Webhook ID : 3',
  },
  fromWire: wishFromWire,
  toWire: ({ endpointId, secret }: AddedWebhook) => ({
    message: `Successfully Added Webhook ID : ${endpointId}`,
    members: { WebhookID: Number(endpointId), Secret: secret.reveal() },
  }),
  refusedToWire: () => ({ WebhookID: 0, Secret: '' }),
})

function wishFromWire({
  URL: url,
  EventTypes: types = [],
  Description: description = '',
}: WireOf<typeof AddRequest>): Result<WebhookWish, RequestFault> {
  const chosen: EventType[] = []
  for (const type of types) {
    if (!isEventType(type)) return outOfRange(`EventTypes: there is no event ${type}`)
    chosen.push(type)
  }
  return ok({ url, eventTypes: [...new Set(chosen)], description })
}
