import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { type Answered, readAnswer } from './envelope.ts'

const soapPath = '/APIcardProcService/CardProcAPI.svc'

describe('an idempotency key', () => {
  const gateway = useGateway()
  let sessionKey = ''
  before(async () => {
    sessionKey = await gateway().signIn()
  })

  function send({ prefix, path }: ContractFacts, body: object, key: string | null): Promise<HttpAnswer> {
    const headers = { SessKey: sessionKey, ...(key === null ? {} : { 'Idempotency-Key': key }) }
    return gateway().post(prefix + path, body, headers)
  }

  const charge = (body: object, key: string | null) => send(chargeCardContract, body, key)
  const undo = (TxID: unknown, key: string) => send(voidSaleContract, { TxID }, key)

  async function recordedUnder(RefID: string): Promise<readonly { TxID: number; State: string }[]> {
    const found = readAnswer(await send(lookUpOperationContract, { RefID }, null), 'Operation_LookupResult')
    return found['Operations'] as readonly { TxID: number; State: string }[]
  }

  async function chargeBySoap(
    body: object,
    { IdempotencyKey, header }: { readonly IdempotencyKey?: string; readonly header?: string },
  ): Promise<string> {
    const members = xmlOf({ SessKey: sessionKey, ...body, ...(IdempotencyKey && { IdempotencyKey }) })
    const call = `<CreditCardSale_Manual xmlns="urn:tillgate:cardproc:v1">${members}</CreditCardSale_Manual>`
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
    const envelope = `<s:Envelope xmlns:s="${soap}"><s:Body>${call}</s:Body></s:Envelope>`
    const headers = {
      'content-type': 'text/xml; charset=utf-8',
      ...(header && { 'Idempotency-Key': header }),
    }
    return (await gateway().send({ method: 'POST', path: soapPath, headers, body: envelope })).text
  }

  test('sent 50 times at once charges once, and all who are answered hear the same', async () => {
    const body = saleFor('fifty-at-once')
    const answers = await Promise.all(Array.from({ length: 50 }, () => charge(body, 'fifty-at-once')))
    const served = answers.filter(({ status }) => status === 200)
    const turnedAway = answers.filter(({ status }) => status !== 200)
    assert(served.length > 0)
    assert.equal(new Set(served.map(({ text }) => text)).size, 1)
    assert.equal(served.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1)
    const [first] = served
    assert(first)
    const { TxID, TxApproved } = resultOf(first)
    for (const answer of turnedAway) {
      const { ErrCode, TxID: running } = resultOf(answer)
      assert.deepEqual([answer.status, ErrCode, running], [409, 4091, TxID])
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.equal(TxApproved, true)
    const recorded = await recordedUnder('fifty-at-once')
    assert.deepEqual(
      recorded.map((one) => [one.TxID, one.State]),
      [[TxID, 'approved']],
    )
  })

  test('sent again later brings the stored answer, and a header that says so', async () => {
    const body = saleFor('again')
    const first = await charge(body, 'again')
    const second = await charge(body, 'again')
    assert.deepEqual([second.status, second.text], [200, first.text])
    assert.equal(first.headers['idempotent-replayed'], undefined)
    assert.equal(second.headers['idempotent-replayed'], 'true')
  })

  test('counts as a member of the body, too, and is the same key as in the header', async () => {
    const body = saleFor('in-the-body')
    const first = await charge({ ...body, IdempotencyKey: 'in-the-body' }, null)
    for (const again of [
      await charge({ ...body, IdempotencyKey: 'in-the-body' }, null),
      await charge(body, 'in-the-body'),
      await charge({ ...body, IdempotencyKey: 'in-the-body' }, 'in-the-body'),
      await charge({ ...body, idempotencyKey: 'in-the-body' }, null),
      await charge({ ...body, idempotencyKey: null, IdempotencyKey: 'in-the-body' }, null),
    ])
      assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  })

  test('in the body is refused where it is no text, or another one than in the header', async () => {
    const body = saleFor('refused-in-the-body')
    const number = resultOf(await charge({ ...body, IdempotencyKey: 7 }, null))
    assert.deepEqual([number.ErrCode, number.RespMsg], [4001, 'IdempotencyKey must be a text'])
    const other = resultOf(await charge({ ...body, IdempotencyKey: 'a' }, 'b'))
    assert.equal(other.ErrCode, 4003)
    const two = resultOf(await charge({ ...body, IdempotencyKey: 'a', idempotencyKey: 'b' }, null))
    assert.equal(two.ErrCode, 4003)
    assert.deepEqual(await recordedUnder('refused-in-the-body'), [])
  })

  test('brings a decline again, too', async () => {
    const ccCardInfo = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 98 }
    const body = { ...saleFor('declined'), ccCardInfo }
    const first = await charge(body, 'declined')
    const second = await charge(body, 'declined')
    assert.equal(resultOf(first)['TxnCode'], '05')
    assert.deepEqual([second.text, second.headers['idempotent-replayed']], [first.text, 'true'])
    assert.equal((await recordedUnder('declined')).length, 1)
  })

  test('sent with another request is refused, and nothing is done', async () => {
    await charge(saleFor('first-use'), 'two-uses')
    const answer = await charge(saleFor('second-use'), 'two-uses')
    assert.deepEqual([answer.status, resultOf(answer).ErrCode], [422, 4221])
    assert.equal(answer.headers['idempotent-replayed'], undefined)
    assert.deepEqual(await recordedUnder('second-use'), [])
  })

  test('does not remember the security code', async () => {
    const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 98 }
    const sale = saleFor('security-code')
    const first = await charge({ ...sale, ccCardInfo: { ...card, CSV: '123' } }, 'security-code')
    const second = await charge({ ...sale, ccCardInfo: { ...card, CSV: '321' } }, 'security-code')
    assert.equal(second.text, first.text)
  })

  test('is not used up by a refusal', async () => {
    const refused = await charge({ ...saleFor('mended'), MerchID: 99 }, 'mended')
    assert.equal(resultOf(refused).ErrCode, 6001)
    const mended = await charge(saleFor('mended'), 'mended')
    assert.equal(resultOf(mended)['TxApproved'], true)
  })

  test('belongs to one operation: the same one may be used for another', async () => {
    const sold = await charge(saleFor('sold'), 'sold-and-undone')
    const { TxID } = resultOf(sold)
    const undone = await undo(TxID, 'sold-and-undone')
    assert.equal(resultOf(undone)['TxApproved'], true)
    const repeated = await undo(TxID, 'sold-and-undone')
    assert.deepEqual([repeated.text, repeated.headers['idempotent-replayed']], [undone.text, 'true'])
    assert.equal(resultOf(await undo(TxID, 'another')).ErrCode, 6701)
    assert.equal((await charge(saleFor('sold'), 'sold-and-undone')).text, sold.text)
  })

  test('is the same over REST and SOAP', async () => {
    const overRest = resultOf(await charge(saleFor('rest-first'), 'rest-first'))
    const overSoap = await chargeBySoap(saleFor('rest-first'), { IdempotencyKey: 'rest-first' })
    assert(overSoap.includes(`<TxID>${overRest['TxID']}</TxID>`), overSoap)
    const other = await chargeBySoap(saleFor('other'), { IdempotencyKey: 'rest-first' })
    assert.match(other, /<ErrCode>4221<\/ErrCode>/)

    const soapFirst = await chargeBySoap(saleFor('soap-first'), { IdempotencyKey: 'soap-first' })
    const again = await charge(saleFor('soap-first'), 'soap-first')
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert(soapFirst.includes(`<TxID>${resultOf(again)['TxID']}</TxID>`), soapFirst)
    assert.equal((await recordedUnder('soap-first')).length, 1)
  })

  test('counts in the header of a SOAP call as well, and is refused where the body has another', async () => {
    const sale = saleFor('soap-header')
    const first = await chargeBySoap(sale, { header: 'soap-header' })
    assert.match(first, /<TxApproved>true</)
    assert.equal(await chargeBySoap(sale, { header: 'soap-header' }), first)
    assert.equal(await chargeBySoap(sale, { IdempotencyKey: 'soap-header' }), first)
    const both = await chargeBySoap(sale, { IdempotencyKey: 'one', header: 'another' })
    assert.match(both, /<ErrCode>4003<\/ErrCode>/)
    assert.equal((await recordedUnder('soap-header')).length, 1)
  })

  for (const [what, key] of [
    ['with a blank inside', 'two words'],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a letter outside ASCII', 'caf\u00e9'],
    ['that is empty', ''],
  ] as const) {
    test(`${what} is refused, and nothing is done`, async () => {
      const answer = await charge(saleFor(`malformed ${what}`), key)
      assert.deepEqual([answer.status, resultOf(answer).ErrCode], [400, 4003])
      const problem = 'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters'
      assert.equal(resultOf(answer).RespMsg, problem)
      assert.deepEqual(await recordedUnder(`malformed ${what}`), [])
    })
  }

  test('in two headers is refused as such, and nothing is done', async () => {
    const { prefix, path } = chargeCardContract
    const body = JSON.stringify(saleFor('two headers'))
    const lines = [
      `POST ${prefix}${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `SessKey: ${sessionKey}`,
      'Idempotency-Key: one',
      'Idempotency-Key: two',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const answer = await gateway().exchange(`${lines.join('\r\n')}\r\n\r\n${body}`)
    assert.match(answer, /^HTTP\/1\.1 400 .*"ErrCode":4003.*Idempotency-Key must be sent once/s)
    assert.deepEqual(await recordedUnder('two headers'), [])
  })

  test('of 255 characters is taken', async () => {
    assert.equal((await charge(saleFor('longest'), '~'.repeat(255))).status, 200)
  })

  test('that is not sent means that every call is a charge', async () => {
    const answers = [await charge(saleFor('no-key'), null), await charge(saleFor('no-key'), null)]
    assert.equal(new Set(answers.map((answer) => resultOf(answer)['TxID'])).size, 2)
    assert.equal((await recordedUnder('no-key')).length, 2)
  })
})

// A sale that can be found again by this reference.
function saleFor(reference: string): object {
  return { ...chargeCardContract.example.request, PurchItems: { ClientRefID: reference } }
}

function resultOf(answer: HttpAnswer): Answered {
  const [key] = Object.keys(JSON.parse(answer.text))
  assert(key)
  return readAnswer(answer, key)
}

function xmlOf(members: object): string {
  const parts = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? xmlOf(value) : String(value)
    return `<${name}>${inner}</${name}>`
  })
  return parts.join('')
}
