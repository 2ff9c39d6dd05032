import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

// Each request of the specification with each of its fields, in the forms in which clients of this API family
// send them: every one is read, and none of its members is ignored. What becomes of the call is not asked
// here: most of these things do not exist.

const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098, CSV: '123', Track: '' }
const address = {
  Address1: '1 Main Street',
  Address2: '',
  City: 'Springfield',
  State: 'IL',
  ZIP: '62701',
  Country: 'US',
}
const person = {
  Firstname: 'Ada',
  Lastname: 'Miller',
  Company: '',
  Title: '',
  Url: '',
  BillIngAdress: address,
  Email: 'ada@example.com',
  Phone: '2125550123',
}
const emptyPerson = Object.fromEntries(Object.keys(person).map((name) => [name, null]))
const references = { CustomerRefID: 'C-1', ServiceDescrip: 'Membership', RPGUID: '' }
const creator = { MerchID: 1, ...references, NumPayments: 3, TotalAmount: 100 }
const options = { eVisible: 'A063', eReadOnly: '0040', eStyles: '000A', eSubmission: '0208' }
const form = {
  MerchID: 1,
  WTYPE: 'PF',
  PostURL: 'http://127.0.0.1:9/post',
  RedirectURL: 'http://127.0.0.1:9/back',
  REF_ID: 'invoice-1042',
  RPGUID: '',
  EndPoint: 'PayForm/PF.aspx',
  EINDEX: '',
  Payer: {
    Firstname: 'Ada',
    Lastname: 'Miller',
    Email: 'ada@example.com',
    Phone: '2125550123',
    BillingAddress: {
      StreetAddress: '1 Main Street',
      City: 'Springfield',
      State: 'IL',
      ZIP: '62701',
      Country: 'US',
    },
  },
  WidOptions: {
    ...options,
    eColors: '#ffffff,#428bca,#007bff,#212121,#ffffff,#212121,#ffffff',
    eFeatures: '0020',
  },
}
const message = {
  Person: person,
  MessageType: 'TEXT',
  RefID: 'invoice-1042',
  RPGUID: '',
  MessageBody: '',
  AcctHolderID: 0,
  Amount: 10,
  ConsentID: 0,
  DueOn: '2098-11-20',
  EINDEX: '',
  MerchID: 1,
  TXID: 0,
  WType: 'SW',
  RedirectURL: '',
  WidgetURL: '',
  ExpiresOn: '2098-12-20T00:00:00.000Z',
  SingleUse: 1,
  OptParam: 'VISIBLE|A060|READONLY|0040|STYLES|000A|OPTIONS|0208|COLORS|',
  Questions: [],
}
const mods = { ExpMonth: 11, ExpYear: 2098, Email: 'ada@example.com', Zip: '62701', ...references }

const bodies: readonly (readonly [path: string, body: object])[] = [
  ['Authenticate', { AcctCode: 'ZZ0000000', Token: '0' }],
  ['Intl/ReceiptGenerate', { REFID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', ReceiptType: 23, Recipient: 3 }],
  ['Intl/ProcPayment', { TokenID: '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11', ChargeAmt: 5.0 }],
  ['Intl/QueryTransaction', { Query: "(B=3)&&(E=1)&&(D LIKE 'Mil%')" }],
  ['Intl/VoidCredit', { TransID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', CreditAmt: 5.0 }],
  ['ConsentAnnual/CalcFees', { ConsentID: 1, Amount: 100, AlternateMerchID: 0 }],
  ['ConsentAnnual/Cancel', { ConsentID: 999_999 }],
  [
    'ConsentAnnual/ChargeStoredCard',
    {
      ConsentID: 1,
      AlternateMerchID: 0,
      Amounts: { BaseAmt: 10, Surcharge: 0, TotalAmt: 10 },
      purchDetails: { ServiceDescrip: '', ClientRefID: '', RPGUID: '' },
      User: 'Ann',
    },
  ],
  [
    'ConsentAnnual/ChargeStoredCard',
    {
      ConsentID: 1,
      AlternateMerchID: null,
      Amounts: { BaseAmt: '10.00', Surcharge: null },
      purchDetails: null,
    },
  ],
  [
    'ConsentAnnual/Modify',
    { ConsentID: 1, ConsentMods: { ...mods, NumDays: 0, LimitPerCharge: 0, LimitLifeTime: 0 } },
  ],
  [
    'ConsentAnnual/Modify',
    { ConsentID: 1, ConsentMods: { ExpMonth: -1, ExpYear: -1, Email: '', Zip: '', NumDays: -1 } },
  ],
  ['RecurringSchedule/Cancel', { SchedID: 999_999 }],
  ['RecurringSchedule/Modify', { SchedID: 999_999, PaymentAmount: 10, DueDate: '2098-07-10T00:00:00' }],
  [
    'RecurringSchedule/Modify',
    { SchedID: 999_999, PaymentAmount: 10, DueDate: '/Date(4056048000000-0500)/' },
  ],
  ['RecurringSchedule/Modify', { SchedID: 999_999, PaymentAmount: null, DueDate: '7/10/2098' }],
  ['RecurringSchedule/ProcessScheduledPayments', { MerchID: 1 }],
  ['RecurringSchedule/ProcessScheduledPaymentsSelective', { SchedIDs: [999_998, 999_999] }],
  ['Settlement/ExecuteBatch_Selective', { TransactionIDs: [999_998, 999_999], MerchID: 1 }],
  ['Settlement/ExecuteBatch_All', { MerchID: 1 }],
  ['CardSale/InitForm', { InitParams: { ...form, Amounts: { BaseAmt: 125, Surcharge: 0, TotalAmt: 125 } } }],
  ['CardSale/InitForm', { InitParams: { ...form, Amounts: { Amount: 125, Surcharge: 0, TotalAmt: 125 } } }],
  [
    'CardSale/InitForm',
    {
      InitParams: {
        ...form,
        PostURL: null,
        RedirectURL: '',
        Amounts: null,
        Payer: null,
        EINDEX: null,
        WidOptions: { ...form.WidOptions, eReadOnly: '0000' },
      },
    },
  ],
  [
    'ConsentRecurring/Create',
    {
      SessKey: '',
      ccCardInfo: card,
      ConsentCreator: { ...creator, StartDate: '/Date(4056048000000)/', Period: 4 },
      AcctHolder: person,
      EndCustomer: emptyPerson,
    },
  ],
  [
    'ConsentRecurring/Create',
    {
      ccCardInfo: { ...card, Track: null },
      ConsentCreator: { ...creator, StartDate: '', Period: 'MONTHLY' },
      AcctHolder: person,
      EndCustomer: null,
    },
  ],
  ['ConsentRecurring/Modify', { SessKey: '', ConsentID: 999_999, ConsentMods: mods }],
  ['ConsentRecurring/Cancel', { SessKey: '', ConsentID: 999_999 }],
  ['Other/SMSPay', { Msg: message }],
  [
    'Other/SMSPay',
    {
      Msg: {
        ...message,
        Person: { ...person, BillIngAdress: null, Email: '' },
        MessageBody: null,
        AcctHolderID: null,
        ConsentID: null,
        EINDEX: null,
        TXID: -1,
        RedirectURL: null,
        WidgetURL: null,
        ExpiresOn: null,
        OptParam: '',
        Questions: null,
      },
    },
  ],
]

// What is wrong with a request itself.
const requestFaults = [4000, 4001, 4002, 4003, 7123]

describe('requests as the specification has them', () => {
  const gateway = useGateway()

  for (const [index, [path, body]] of bodies.entries()) {
    test(`${path}, body ${index + 1}, is read whole`, async () => {
      const contract = operations.find((one) => one.contract.path === path)?.contract
      assert(contract)
      const headers = { SessKey: await gateway().signIn() }
      for (const where of [contract.prefix + path, ...[contract.literalPath ?? []].flat()]) {
        const answer = await gateway().post(where, body, headers)
        const { ErrCode, ErrMsg } = readAnswer(answer, contract.resultKey)
        assert(!requestFaults.includes(ErrCode), ErrMsg)
        assert.equal(answer.headers['ignored-members'], undefined)
      }
    })
  }

  test('every operation of the specification is among them', () => {
    const specified = operations.flatMap(({ contract }) =>
      contract.isBeyondSpecification ? [] : [contract.path],
    )
    assert.deepEqual([...new Set(bodies.map(([path]) => path))].toSorted(), specified.toSorted())
  })
})
