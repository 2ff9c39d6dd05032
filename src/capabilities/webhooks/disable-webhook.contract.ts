import { Type } from 'typebox'
import { endpointId, type EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireId } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const disableWebhookContract = defineContract({
  path: 'Webhook/Disable',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Webhook_DisableResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Disable a webhook',
  description:
    'Tells an address nothing more. What was waiting for it counts as undelivered. Disabling it twice is ' +
    'no error. A token for one merchant record knows the webhooks of that record alone.',
  request: Type.Object({ WebhookID: WireId('The webhook.') }),
  result: Type.Object({ WebhookID: Type.Integer({ description: 'The webhook; 0 when there is none.' }) }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'webhook_not_found'],
  example: {
    request: { WebhookID: 3 },
    result: { WebhookID: 3 },
    message: 'Successfully Disabled Webhook ID : 3',
  },
  fromWire: ({ WebhookID }) => ok(endpointId(BigInt(WebhookID))),
  toWire: (disabled: EndpointId) => ({
    message: `Successfully Disabled Webhook ID : ${disabled}`,
    members: { WebhookID: Number(disabled) },
  }),
  refusedToWire: () => ({ WebhookID: 0 }),
})
