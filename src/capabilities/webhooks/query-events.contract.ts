import { Type } from 'typebox'
import type { EventQuestion, ToldEvent, ToldEvents } from '#capabilities/webhooks/query-events.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'
import { ok } from '#kernel/result.ts'

const usual = 100
const mostMax = 1_000

const EventRecord = Type.Object(
  {
    ID: WireText(75, 'The webhook-id under which the event is delivered; the same however often it is told.'),
    Type: WireText(40, 'What happened, such as payment.approved.'),
    CreatedOn: WireMoment('When, by the clock of the account.'),
    Body: WireText(20_000, 'Exactly the text that webhooks carry: JSON.'),
  },
  { title: 'EventRecord' },
)

const EventRequest = Type.Object({
  Cursor: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999_999,
      description: 'Where to go on: the Cursor of the last answer. Absent or 0: from the beginning.',
    }),
  ),
  Limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: mostMax, description: `At most so many; ${usual} when absent.` }),
  ),
})

const example = {
  type: 'payment.approved',
  timestamp: '2027-01-15T10:00:00.000Z',
  seq: 41,
  sandbox: true,
  data: { object: 'payment', id: 57, kind: 'sale', amount: '25.50', currency: 'USD' },
}

export const queryEventsContract = defineContract({
  path: 'Event/Query',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Event_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query events',
  description:
    'Tells what happened since a cursor, oldest first, in the words of the webhooks. Whoever calls it ' +
    'again and again with the Cursor of the last answer misses nothing, whatever became of the webhooks. ' +
    'The types of events stand in docs/events.md.',
  request: EventRequest,
  result: Type.Object({
    NumRecords: Type.Integer({ description: 'How many events are returned.' }),
    Events: Type.Array(EventRecord, { description: 'Oldest first; empty when there is nothing new.' }),
    Cursor: Type.Integer({ description: 'Send it with the next call.' }),
    HasMore: Type.Boolean({ description: 'Whether there are more already.' }),
  }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'busy'],
  example: {
    request: { Cursor: 40 },
    result: {
      NumRecords: 1,
      Events: [
        {
          ID: 'evt_41_0f3a9c2b7d15',
          Type: 'payment.approved',
          CreatedOn: '2027-01-15T10:00:00.000Z',
          Body: JSON.stringify(example),
        },
      ],
      Cursor: 41,
      HasMore: false,
    },
    message: 'Successfully Returned Event Records : 1',
  },
  fromWire: ({ Cursor = 0, Limit = usual }: WireOf<typeof EventRequest>) =>
    ok<EventQuestion>({ after: BigInt(Cursor), most: Limit }),
  toWire: ({ events, cursor, hasMore }: ToldEvents) => ({
    message: `Successfully Returned Event Records : ${events.length}`,
    members: {
      NumRecords: events.length,
      Events: events.map(eventToWire),
      Cursor: Number(cursor),
      HasMore: hasMore,
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Events: [], Cursor: 0, HasMore: false }),
})

function eventToWire({ messageId, type, createdAt, body }: ToldEvent): WireOf<typeof EventRecord> {
  return { ID: messageId, Type: type, CreatedOn: printMoment(createdAt), Body: body }
}
