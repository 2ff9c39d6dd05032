import { Type } from 'typebox'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import type { FoundTransaction } from '#capabilities/search/found-transaction.ts'
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
import { batchStatus } from '#capabilities/settlement/batch-result.wire.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireWord, cardTypes, origins } from '#capabilities/wire/published.wire.ts'
import { orNull, WireFlag, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

const Transaction = Type.Object(
  {
    ID: Type.Integer({ description: 'The transaction, elsewhere called TxID.' }),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    TxType: WireWord(['SALE', 'CREDIT'], 'Which way its money goes.'),
    TxSTATUS: WireWord(
      ['OPEN', 'SETTLED', 'FAILED', 'LOCKED', 'VOID', 'PENDING'],
      'What became of it; PENDING while the outcome is not known.',
    ),
    AMOUNT: Type.Number({ description: 'The whole amount, with the fee.' }),
    SURCHARGE: Type.Number({ description: 'The fee in it.' }),
    Currency: WireText(3, 'Of both, such as USD.'),
    ACCT_NO: WireText(19, 'The card number, masked but for its last four digits.'),
    CARD_TYPE: WireWord(cardTypes, 'The network of the card; empty where it is not known.'),
    EXP_DATE: WireText(7, 'Expiry of the card.'),
    ACCT_FIRST_NAME: WireText(75, 'First name of the account holder.'),
    ACCT_LAST_NAME: WireText(100, 'Last name or company of the account holder.'),
    ConsentID: Type.Integer({ description: 'The consent that was charged; 0 without one.' }),
    REF_ID: WireText(75, 'The ClientRefID that was sent, or else the CustomerRefID of its consent.'),
    RPGUID: WireText(75, 'The RPGUID that was sent.'),
    RefTxID: Type.Integer({ description: 'The sale of a credit, the void of a voided sale; 0 otherwise.' }),
    Credits: Type.Number({ description: 'What credits have given back of a sale.' }),
    TXN_CODE: WireText(12, 'The approval code, or the decline code.'),
    AVSr: WireText(1, 'How street and zip compared.'),
    CVVr: WireText(1, 'How the security code compared.'),
    BatchLogID: Type.Integer({ description: 'The batch it was settled in; 0 before.' }),
    BatchNO: Type.Integer({ description: 'The number of that batch; 0 before.' }),
    BatchStatus: WireWord(
      ['APPROVED', 'FAILED', 'PENDING', ''],
      'PENDING while it is not known; empty before.',
    ),
    TxLOCK: WireText(16, 'The lock of that batch; 0 before.'),
    IsLocked: WireFlag('It is in a batch.'),
    IsPartialApproval: WireFlag('Less than the total was approved.'),
    Origin: WireWord(origins, 'A call, a form or link, a terminal, or by itself.'),
    CreatedOn: WireMoment('When it was asked for.'),
    LastChangedOn: WireMoment('When it was made, voided or credited last; a settlement changes its batch.'),
    LAST_CHANGED_BY: WireText(75, 'Who did so: the User that was sent, or else the API user; AUTO for runs.'),
    UserID: Type.Integer({ description: 'The API user who asked for it.' }),
    chargeback_date: orNull(WireMoment('When the bank of the payer took it back; null when it did not.')),
    reason_code: orNull(WireText(12, 'Why, in the code of the card network.')),
    DisputeStatus: WireWord(['OPEN', 'WON', 'LOST', ''], 'Empty without a chargeback.'),
  },
  { title: 'TransactionRecord' },
)

export const queryTransactionsContract = defineContract({
  path: 'Query/Transaction',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Transaction_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query transactions',
  description:
    'Finds card sales and credits, declined ones included, by an expression of the query language ' +
    '(docs/query-language.md). Newest first, in pages. What was just charged is found at once. ' +
    'Verifications, voids and what was never sent moved no money: Operation/Lookup finds them by TxID.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Transactions: Type.Array(Transaction, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(A=1)&&(C>='11/15/2026')&&(C<'11/16/2026')&&(D LIKE 'Exa%')" },
    result: {
      NumRecords: 1,
      Transactions: [
        {
          ID: 57,
          MerchID: 1,
          TxType: 'SALE',
          TxSTATUS: 'OPEN',
          AMOUNT: 25.5,
          SURCHARGE: 0,
          Currency: 'USD',
          ACCT_NO: 'XXXXXXXXXXXX1111',
          CARD_TYPE: 'VI',
          EXP_DATE: '12/30',
          ACCT_FIRST_NAME: 'Ann',
          ACCT_LAST_NAME: 'Example',
          ConsentID: 0,
          REF_ID: 'order-1001',
          RPGUID: 'basket-7',
          RefTxID: 0,
          Credits: 0,
          TXN_CODE: 'QKZVHT',
          AVSr: 'Y',
          CVVr: 'M',
          BatchLogID: 0,
          BatchNO: 0,
          BatchStatus: '',
          TxLOCK: '0',
          IsLocked: false,
          IsPartialApproval: false,
          Origin: 'API',
          CreatedOn: '2026-11-15T10:00:00.000Z',
          LastChangedOn: '2026-11-15T10:00:00.000Z',
          LAST_CHANGED_BY: 'till',
          UserID: 1,
          chargeback_date: null,
          reason_code: null,
          DisputeStatus: '',
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned Transaction Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundTransaction>) => ({
    message: queryMessage('Transaction', found),
    members: {
      NumRecords: found.records.length,
      Transactions: found.records.map(transactionToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Transactions: [], ...lastPage }),
})

function transactionToWire(found: FoundTransaction): WireOf<typeof Transaction> {
  const { batch, dispute } = found
  return {
    ID: Number(found.transactionId),
    MerchID: found.merchantNumber,
    TxType: found.kind.toUpperCase(),
    TxSTATUS: found.status.toUpperCase(),
    AMOUNT: moneyToWire(found.total),
    SURCHARGE: moneyToWire(found.fee),
    Currency: found.total.currency,
    ACCT_NO: found.lastFour.padStart(16, 'X'),
    CARD_TYPE: found.brand,
    EXP_DATE: found.expiry,
    ACCT_FIRST_NAME: found.holderFirstName,
    ACCT_LAST_NAME: found.holderLastName,
    ConsentID: Number(found.consentId),
    REF_ID: found.clientRef,
    RPGUID: found.guid,
    RefTxID: Number(found.parentId ?? 0n),
    Credits: moneyToWire(found.credited),
    TXN_CODE: found.resultCode,
    AVSr: found.avs,
    CVVr: found.cvv,
    BatchLogID: Number(batch?.batchId ?? 0n),
    BatchNO: batch?.batchNumber ?? 0,
    BatchStatus: batch ? batchStatus(batch.state) : '',
    TxLOCK: batch?.lock ?? '0',
    IsLocked: batch !== null,
    IsPartialApproval: found.isPartial,
    Origin: found.origin,
    CreatedOn: printMoment(found.createdAt),
    LastChangedOn: printMoment(found.changedAt),
    LAST_CHANGED_BY: found.user,
    UserID: Number(found.userId),
    chargeback_date: dispute && printMoment(dispute.openedAt),
    reason_code: dispute && dispute.reasonCode,
    DisputeStatus: dispute?.state.toUpperCase() ?? '',
  }
}
