import { Type } from 'typebox'
import type { FoundBatch } from '#capabilities/search/found-batch.ts'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import {
  lastPage,
  NumRecords,
  PageMembers,
  pageToWire,
  queryFromWire,
  queryMessage,
  queryRefusals,
  QueryRequest,
} from '#capabilities/search/query.wire.ts'
import { digitsOf, resultText } from '#capabilities/settlement/batch-result.wire.ts'
import { netOf } from '#capabilities/settlement/batch.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireWord } from '#capabilities/wire/published.wire.ts'
import { WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

const BatchLog = Type.Object(
  {
    ID: Type.Integer({ description: 'The batch, elsewhere called BatchLogID.' }),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    BatchNO: Type.Integer({ description: 'Its number, which counts up within the account.' }),
    BatchRecs: Type.Integer({ description: 'How many transactions it has.' }),
    BatchAmt: Type.Number({ description: 'Sales minus credits.' }),
    BatchOpen: Type.Integer({
      description: 'When its oldest transaction was made: MMDDYYhhmm, record time.',
    }),
    BatchClose: Type.Integer({ description: 'When it was closed: MMDDYYhhmm, record time.' }),
    Code: WireWord(['A', 'F', ''], 'A accepted, F failed; empty while that is not known.'),
    SettleResp: WireText(40, 'OK, batch number in three digits, month and day, 0000; empty before.'),
    TxLOCK: WireText(16, 'Stands on every transaction of the batch.'),
    CreatedOn: WireMoment('When it was closed.'),
    FinishedOn: WireText(24, 'When the acquirer accepted it; empty before.'),
    CreatedBy: WireText(75, 'The API user who settled, or what closed the day by itself.'),
  },
  { title: 'BatchLogRecord' },
)

export const queryBatchesContract = defineContract({
  path: 'Query/BatchLog',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Batch_Log_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query batches',
  description:
    'Finds batches, accepted or not, by an expression of the query language (docs/query-language.md). ' +
    'Newest first, in pages.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    BatchLogs: Type.Array(BatchLog, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(A=1)&&(B=2)&&(C>='7/1/2027')" },
    result: {
      NumRecords: 1,
      BatchLogs: [
        {
          ID: 12,
          MerchID: 1,
          BatchNO: 3,
          BatchRecs: 2,
          BatchAmt: 36.5,
          BatchOpen: 720270905,
          BatchClose: 720272330,
          Code: 'A',
          SettleResp: 'OK 003 0720 0000',
          TxLOCK: '9F3C2B7A51E04D86',
          CreatedOn: '2027-07-21T03:30:00.000Z',
          FinishedOn: '2027-07-21T03:30:01.000Z',
          CreatedBy: 'till',
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned Batch Log Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundBatch>) => ({
    message: queryMessage('Batch Log', found),
    members: {
      NumRecords: found.records.length,
      BatchLogs: found.records.map(batchToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, BatchLogs: [], ...lastPage }),
})

function batchToWire(batch: FoundBatch): WireOf<typeof BatchLog> {
  const { state, timeZone } = batch
  const isAccepted = state === 'accepted'
  const isAnswered = isAccepted || state === 'rejected' || state === 'released'
  return {
    ID: Number(batch.batchId),
    MerchID: batch.merchantNumber,
    BatchNO: batch.batchNumber,
    BatchRecs: batch.itemCount,
    BatchAmt: moneyToWire(netOf(batch)),
    BatchOpen: Number(digitsOf(batch.openedAt, timeZone)),
    BatchClose: Number(digitsOf(batch.closedAt, timeZone)),
    Code: isAnswered ? (isAccepted ? 'A' : 'F') : '',
    SettleResp: isAnswered ? resultText({ batch, isAccepted, timeZone }) : '',
    TxLOCK: batch.lock,
    CreatedOn: printMoment(batch.closedAt),
    FinishedOn: batch.finishedAt ? printMoment(batch.finishedAt) : '',
    CreatedBy: batch.createdBy,
  }
}
