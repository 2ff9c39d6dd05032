import { messageOf } from '#capabilities/webhooks/event-message.ts'
import { type EventObject, eventRegistry, eventTypes } from '#engine/events/event-registry.ts'
import { generatedNote, markdownTable } from './markdown.ts'

const elsewhere: Readonly<Record<EventObject, string>> = {
  payment: 'the `TxID`',
  consent: 'the `ConsentID`',
  schedule: 'the `SchedID`',
  batch: 'the `BatchLogID`',
  form: 'the `FormID`',
  link: 'the `LinkID`',
  token: 'as in `tillgate token list`',
  webhook: 'the `WebhookID`',
}

export function writeEventsPage(): string {
  const rows = eventTypes.map((type) => {
    const { object, means } = eventRegistry[type]
    return [`[${type}](#${type.replaceAll('.', '')})`, `${object}, ${elsewhere[object]}`, means]
  })
  return `${generatedNote}

# Events

What an account's webhooks and \`Event/Query\` tell ([webhooks.md](webhooks.md)). Every message has a
\`type\`, a \`timestamp\` by the clock of the account, a \`seq\` that grows from event to event,
\`sandbox\`, and \`data\` with what it is about, its \`id\`, and the facts as they were at that moment.
Amounts are texts, exact to the cent, and so are the numbers of other things, such as \`merchant\` and
\`consent\`, which the calls tell as numbers: compare them as texts.
New types and new members may be added; none is renamed.

${markdownTable(['Type', '`data.id`', 'When'], rows)}

${eventTypes.map(sampleOf).join('\n\n')}
`
}

function sampleOf(type: (typeof eventTypes)[number]): string {
  const { means, sample } = eventRegistry[type]
  const event = {
    eventId: 41n,
    type,
    objectId: BigInt(sample.objectId),
    body: sample.body,
    createdAt: Temporal.Instant.from('2027-01-15T10:00:00Z'),
  }
  const message = JSON.stringify(messageOf(event, true), null, 2)
  return `## ${type}\n\n${means}\n\n\`\`\`json\n${message}\n\`\`\``
}
