import { messageOf } from '#capabilities/webhooks/event-message.ts'
import { eventRegistry, type EventType, eventTypes } from '#engine/events/event-registry.ts'
import { tagOfWebhooks } from '#transport/openapi/tags.ts'

// What a receiver of webhooks is posted: one entry for each type of event. Their schemas have no names: some
// generators drop named ones that no call uses, and then make code that does not compile.
export function writeWebhooks(): object {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: writeWebhook(type) }]))
}

function writeWebhook(type: EventType): object {
  const { means, object, sample } = eventRegistry[type]
  const name = wordsOf(type).join('')
  const example = messageOf(
    {
      eventId: 41n,
      type,
      objectId: BigInt(sample.objectId),
      body: sample.body,
      createdAt: Temporal.Instant.from('2027-01-15T10:00:00Z'),
    },
    true,
  )
  const data = {
    object: { type: 'string', const: object },
    id: { type: 'integer', format: 'int64', description: `The ${object}.` },
    ...Object.fromEntries(Object.keys(sample.body).map((member) => [member, { type: 'string' }])),
  }
  const schema = objectOf({
    type: { type: 'string', const: type },
    timestamp: { type: 'string', format: 'date-time', description: 'By the clock of the account.' },
    seq: { type: 'integer', format: 'int64', description: 'Grows from event to event.' },
    sandbox: { type: 'boolean', description: 'Whether no money moves.' },
    data: objectOf(data),
  })
  return {
    operationId: `on${name}`,
    summary: type,
    description: means,
    tags: [tagOfWebhooks],
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses,
  }
}

// Members may be added, so receivers leave room for others.
function objectOf(properties: object): object {
  return { type: 'object', required: Object.keys(properties), properties }
}

function wordsOf(type: EventType): readonly string[] {
  return type.split(/[._]/).map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const headers = [
  header('webhook-id', 'The same however often the message comes.'),
  header('webhook-timestamp', 'When it was sent, in seconds of real time.'),
  header('webhook-signature', 'Version and HMAC-SHA-256 of id, timestamp and body, one or more.'),
]

const responses = {
  '2XX': { description: 'Received. Anything else is a failure, and the message comes again.' },
  410: { description: 'Not wanted any more: the webhook is disabled.' },
}
