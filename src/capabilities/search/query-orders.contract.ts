import { Type } from 'typebox'
import type { FoundOrderRecord } from '#capabilities/search/found-order.ts'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import { OrderRecord, orderRecordToWire } from '#capabilities/search/order-record.wire.ts'
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
import { defineContract } from '#capabilities/wire/contract.ts'

// Spec "International query".
export const queryOrdersContract = defineContract({
  path: 'Intl/QueryTransaction',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Intl_Transaction_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Query international orders',
  description:
    'Finds the records of international orders, one for each step, by an expression of the query language ' +
    '(docs/query-language.md). Orders newest first, the steps of an order oldest first, in pages. ' +
    '(B=3)&&(E=1) finds the final records only.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Transactions: Type.Array(OrderRecord, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: [...queryRefusals, 'query_mixes_charts', 'no_international_record', 'record_domestic'],
  example: {
    request: { Query: "(A=3)&&(C>='9/11/2026')&&(C<'9/12/2026')&&(B=3)&&(E=1)" },
    result: {
      NumRecords: 1,
      Transactions: [
        {
          ID: 7,
          MerchID: 3,
          Action: 'SALE',
          Result: 'SUCCESS',
          Status: 'SETTLED',
          Amount: 25.5,
          Currency: 'EUR',
          Card: '3055',
          CardType: 'VI',
          Card_Expiration_Date: '12/2030',
          Card_Token: '8c1f2c9f0a6f4d1b0e4cf0f57f0b45a8b5ab3f0a5ef1a1d75f0c9c3e7f5c4c1e',
          Recurring_Token: '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11',
          Order_ID: '9e3779b1',
          Trans_ID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7',
          Trans_Date: 'Sep 11 2026  4:16PM',
          CreatedOn: '2026-09-11T20:16:00.000Z',
          Decline_Reason: '',
          Descriptor: 'CORNER BOOKS EUROPE',
          REFID: 'order-1001',
          RPGUID: 'basket-7',
          Schedule_ID: null,
          bank_date: null,
          chargeback_date: null,
          reason_code: null,
          Fname: 'Ann',
          Lname: 'Example',
          Email: 'ann@example.com',
          Phone: '',
          Address: '1 Elm Street',
          City: 'Springfield',
          State: 'IL',
          PostalCode: '62701',
          Country: 'US',
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned Transaction Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundOrderRecord>) => ({
    message: queryMessage('Transaction', found),
    members: {
      NumRecords: found.records.length,
      Transactions: found.records.map(orderRecordToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Transactions: [], ...lastPage }),
})
