import { Type } from 'typebox'
import type { FoundBankTransaction } from '#capabilities/search/found-bank-transaction.ts'
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
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireWord, origins } from '#capabilities/wire/published.wire.ts'
import { WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

const BankTransaction = Type.Object(
  {
    ID: Type.Integer({ description: 'The transaction, elsewhere called TxID.' }),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    TxType: WireWord(['DEBIT', 'CREDIT'], 'Which way its money goes.'),
    TxSTATUS: WireWord(['OPEN', 'SETTLED', 'FAILED', 'RETURNED', 'VOID'], 'What became of it.'),
    Amt: Type.Number({ description: 'The amount.' }),
    AcctLast4: WireText(4, 'The last digits of the account.'),
    AcctType: Type.Integer({
      description: '1 checking and 2 savings of a person, 3 checking and 4 savings of a business.',
    }),
    FirstName: WireText(75, 'First name of the account holder.'),
    LastName: WireText(100, 'Last name or company of the account holder.'),
    CustName: WireText(151, 'First and last name of the customer.'),
    AuthID: WireText(20, 'Our authorization of the transfer.'),
    UniqueID: WireText(24, 'The uniqueTranID that was answered.'),
    REF_ID: WireText(75, 'The ClientRefID that was sent.'),
    RPGUID: WireText(75, 'The RPGUID that was sent.'),
    RefTxID: Type.Integer({ description: 'The debit of a credit, the void of a voided debit; 0 otherwise.' }),
    Credits: Type.Number({ description: 'What credits have given back of a debit.' }),
    ReturnReason: WireText(3, 'Why its bank has sent it back, as the network says it; empty otherwise.'),
    SettledOn: WireText(24, 'When it went to the bank; empty before.'),
    ResolvedOn: WireText(24, 'When its bank sent it back; empty otherwise.'),
    BatchLogID: Type.Integer({ description: 'The batch it is in; 0 before.' }),
    BatchNO: Type.Integer({ description: 'The number of that batch; 0 before.' }),
    Origin: WireWord(origins, 'A call, a form or link, a terminal, or by itself.'),
    CreatedOn: WireMoment('When it was asked for.'),
    CreatedBy: Type.Integer({ description: 'The API user who asked for it.' }),
  },
  { title: 'ACHTransactionRecord' },
)

export const queryBankTransactionsContract = defineContract({
  path: 'Query/ACHTransaction',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ACHTransaction_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query bank debits',
  description:
    'Finds debits and credits of bank accounts by an expression of the query language ' +
    '(docs/query-language.md). Newest first, in pages.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Transactions: Type.Array(BankTransaction, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(A=1)&&(B=4)&&(C>='1/1/2027')" },
    result: {
      NumRecords: 1,
      Transactions: [
        {
          ID: 57,
          MerchID: 1,
          TxType: 'DEBIT',
          TxSTATUS: 'RETURNED',
          Amt: 25.5,
          AcctLast4: '6789',
          AcctType: 1,
          FirstName: 'Ada',
          LastName: 'Miller',
          CustName: '',
          AuthID: '482915',
          UniqueID: '5d0c1f2e9b7a4836d1c2e3f4',
          REF_ID: 'order-1002',
          RPGUID: 'basket-8',
          RefTxID: 0,
          Credits: 0,
          ReturnReason: 'R01',
          SettledOn: '2027-01-16T04:30:00.000Z',
          ResolvedOn: '2027-01-20T13:00:00.000Z',
          BatchLogID: 12,
          BatchNO: 3,
          Origin: 'API',
          CreatedOn: '2027-01-15T10:00:00.000Z',
          CreatedBy: 1,
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned ACH Transaction Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundBankTransaction>) => ({
    message: queryMessage('ACH Transaction', found),
    members: {
      NumRecords: found.records.length,
      Transactions: found.records.map(transactionToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Transactions: [], ...lastPage }),
})

function transactionToWire(found: FoundBankTransaction): WireOf<typeof BankTransaction> {
  const { batch } = found
  return {
    ID: Number(found.transactionId),
    MerchID: found.merchantNumber,
    TxType: found.kind.toUpperCase(),
    TxSTATUS: found.status.toUpperCase(),
    Amt: moneyToWire(found.total),
    AcctLast4: found.lastFour,
    AcctType: (found.isSavings ? 2 : 1) + (found.isBusiness ? 2 : 0),
    FirstName: found.holderFirstName,
    LastName: found.holderLastName,
    CustName: `${found.customerFirstName} ${found.customerLastName}`.trim(),
    AuthID: found.authorizationId,
    UniqueID: found.reference,
    REF_ID: found.clientRef,
    RPGUID: found.guid,
    RefTxID: Number(found.parentId ?? 0n),
    Credits: moneyToWire(found.credited),
    ReturnReason: found.returnCode,
    SettledOn: momentOrNothing(found.settledAt),
    ResolvedOn: momentOrNothing(found.resolvedAt),
    BatchLogID: Number(batch?.batchId ?? 0n),
    BatchNO: batch?.batchNumber ?? 0,
    Origin: found.origin,
    CreatedOn: printMoment(found.createdAt),
    CreatedBy: Number(found.userId),
  }
}

function momentOrNothing(moment: Temporal.Instant | null): string {
  return moment ? printMoment(moment) : ''
}
