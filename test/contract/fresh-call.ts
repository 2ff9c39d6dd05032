import assert from 'node:assert/strict'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { randomDigits, randomLetters } from '#platform/crypto/random.ts'
import type { TestGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

type Body = Readonly<Record<string, unknown>>

// A body that succeeds, for any operation: its example, with things that exist and a card that lasts.
export async function freshBody(
  gateway: TestGateway,
  sessionKey: string,
  { path, example: { request } }: ContractFacts,
): Promise<Body> {
  const body = withLastingCard({ ...request })
  if ('TokenID' in body) return { ...body, TokenID: gateway.orders.token }
  if ('TransID' in body) return { ...body, TransID: await newOrder(gateway, sessionKey) }
  if (path === 'Intl/ReceiptGenerate') return { ...body, REFID: gateway.orders.finished }
  if (path.startsWith('ConsentRecurring/') && 'ConsentID' in body)
    return { ...body, ConsentID: await make(gateway, sessionKey, newPlan) }
  if (path === processAll) {
    // Whatever other calls have left goes first, so that exactly one payment is due.
    await gateway.post(`/APIcardProcREST/v1.0.0/${processAll}`, body, { SessKey: sessionKey })
    await make(gateway, sessionKey, newPlan)
  }
  if ('SchedID' in body) return { ...body, SchedID: await make(gateway, sessionKey, newSchedule) }
  if ('SchedIDs' in body) return { ...body, SchedIDs: [await make(gateway, sessionKey, newSchedule)] }
  if ('ConsentID' in body) return { ...body, ConsentID: await make(gateway, sessionKey, newConsent) }
  if ('TransactionIDs' in body) return { ...body, TransactionIDs: [await make(gateway, sessionKey, newSale)] }
  // There must be something to settle.
  if (Object.keys(body).join() === 'MerchID') await make(gateway, sessionKey, newSale)
  if ('TxID' in body) {
    const made = path.startsWith('ACH/') ? newDebit : newSale
    return { ...body, TxID: await make(gateway, sessionKey, made) }
  }
  if ('URL' in body) return { ...body, URL: `http://127.0.0.1:9/${randomLetters()}` }
  if ('WebhookID' in body) return { ...body, WebhookID: await make(gateway, sessionKey, newWebhook) }
  if ('Msg' in body) return { Msg: { ...Object(body['Msg']), Person: { Phone: newPhone() } } }
  if ('LinkID' in body) return { ...body, LinkID: await newLink(gateway, sessionKey) }
  if ('REFID' in body) return { ...body, REFID: String(await make(gateway, sessionKey, newSale)) }
  return body
}

const newConsent = { path: 'ConsentAnnual/Create_MAN', member: 'ConsentID' }
const newDebit = { path: 'ACH/Sale', member: 'TxID' }
const processAll = 'RecurringSchedule/ProcessScheduledPayments'
const newPlan = { path: 'ConsentRecurring/Create', member: 'ConsentID' }
const newSchedule = { path: 'ConsentRecurring/Create', member: 'MySched' }
const newWebhook = { path: 'Webhook/Add', member: 'WebhookID' }
const newSale = { path: 'CardSale/Manual', member: 'TxID' }

// A phone that has not been sent anything, because the fourth text in an hour is refused.
function newPhone(): string {
  return `+1212555${randomDigits(4)}`
}

async function newLink(gateway: TestGateway, sessionKey: string): Promise<number> {
  const headers = { SessKey: sessionKey }
  const person = { Phone: newPhone() }
  const Msg = { Person: person, MessageType: 'TEXT', Amount: 125, MerchID: 1, SingleUse: 1 }
  const sent = await gateway.post('/APIcardProcREST/v1.0.0/Other/SMSPay', { Msg }, headers)
  const { PaymentUrl } = Object(readAnswer(sent, 'SMSPaymentResult'))
  const found = await gateway.post('/APIcardProcREST/v1.0.0/Link/Query', { PaymentUrl }, headers)
  return Object(readAnswer(found, 'Link_QueryResult')).Links[0].LinkID
}

// An order of its own, large enough for the credit of the example.
async function newOrder(gateway: TestGateway, sessionKey: string): Promise<string> {
  const body = { TokenID: gateway.orders.token, ChargeAmt: 25 }
  const sent = await gateway.post('/APIcardProcREST/v1.0.0/Intl/ProcPayment', body, { SessKey: sessionKey })
  return String(readAnswer(sent, 'Intl_ProcPaymentResult')['TransID'])
}

async function make(
  gateway: TestGateway,
  sessionKey: string,
  { path, member }: typeof newSale,
): Promise<number> {
  const contract = operations.find((one) => one.contract.path === path)?.contract
  assert.ok(contract)
  const example = withLastingCard({ ...contract.example.request })
  const body = 'URL' in example ? { ...example, URL: `http://127.0.0.1:9/${randomLetters()}` } : example
  const answer = readAnswer(
    await gateway.post(contract.prefix + path, body, { SessKey: sessionKey }),
    contract.resultKey,
  )
  assert.equal(answer.ErrCode, 0, answer.ErrMsg)
  const made: unknown = Object.entries(answer).find(([name]) => name === member)?.[1]
  return Number(Array.isArray(made) ? made[0]?.SchedID : made)
}

function withLastingCard(body: Body): Body {
  const { ccCardInfo } = body
  const isCard = typeof ccCardInfo === 'object' && ccCardInfo !== null
  return isCard ? { ...body, ccCardInfo: { ...ccCardInfo, ExpYear: 2098 } } : body
}

// Members and words that are new with every call: keys, ids, codes, moments.
const freshMembers = new Set(
  `SessKey ExpiresOn TxID VoidTxID TxnCode TxnCodeText ConsentID CancelledConsentID PreConsentAuthTxID
  PreConsentAuthMessage PaymentUrl SchedID ID SchedNum AcctHolderID PaymentDate SEQ AuthID uniqueTranID
  ReceiptHtml WebhookID Secret Cursor TransID LinkID Recipient CreatedOn SentOn Delivery`.split(/\s+/),
)

export function steady(answer: { readonly RespMsg: string }): object {
  const steadyOf = (name: string, value: unknown): unknown => {
    if (name === 'BatchResult') return kindsOf(value)
    // Whether a message was still waiting when its link was withdrawn, and how many posts are: what sends
    // them works beside the calls.
    if (name === 'DeliveryProblem' || name === 'Waiting') return typeof value
    if (freshMembers.has(name) && value) return 'fresh'
    if (Array.isArray(value)) return value.map((item) => steadyOf('', item))
    return typeof value === 'object' && value !== null ? steadyMembers(value) : value
  }
  const steadyMembers = (of: object): object =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, steadyOf(name, value)]))
  const members = Object.entries(steadyMembers(answer))
  const told = answer.RespMsg.replace(/^(SessKey Expires\|).*$/, '$1')
    .replace(/APPROVED \w+/, 'APPROVED')
    .replace(/(Successfully to) .*$/, '$1')
    .replace(/Link \d+/, 'Link n')
    .replace(/OK \d{3} /, 'OK nnn ')
    .replace(/\b(ID|ConsentID|TXID|SchedID)( ?:? ?)\d+/g, '$1$2n')
  return { ...Object.fromEntries(members), RespMsg: told }
}

// What a batch holds depends on what happened before it.
function kindsOf(batch: unknown): object {
  return Object.fromEntries(Object.entries(Object(batch)).map(([name, value]) => [name, typeof value]))
}
