import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

type Body = Readonly<Record<string, unknown>>

const sale = {
  ccCardInfo: { AccountNumber: '4000000000000101', ExpMonth: 12, ExpYear: 2098 },
  Amounts: { BaseAmt: 25.5 },
  MerchID: 1,
}
const home = { Address1: '1 Main Street', City: 'Springfield', State: 'IL', ZIP: '62701' }

const withCode = (code: object) => ({ ...sale, ccCardInfo: { ...sale.ccCardInfo, ...code } })

async function call({ post }: TestGateway, path: string, body: object, headers: object) {
  const contract = operations.find((one) => one.contract.path === path)?.contract
  assert(contract)
  const answer = await post(contract.prefix + path, body, { ...headers })
  return { result: readAnswer(answer, contract.resultKey), headers: answer.headers }
}

describe('members over HTTP', () => {
  const gateway = useGateway()
  const charge = async (body: object, headers: object = {}) =>
    call(gateway(), 'CardSale/Manual', body, { SessKey: await gateway().signIn(), ...headers })

  for (const name of ['CSV', 'CVV', 'CVV2']) {
    test(`a security code that is sent as ${name} is compared by the bank`, async () => {
      const { result } = await charge(withCode({ [name]: '123' }))
      assert.deepEqual([result.ErrMsg, result['CVVresult']], ['', 'N'])
    })
  }

  for (const name of ['BillIngAdress', 'BillingAddress']) {
    test(`an address that is sent as ${name} is compared by the bank`, async () => {
      const { result } = await charge({ ...sale, AcctHolder: { Lastname: 'M', [name]: home } })
      assert.deepEqual([result.ErrMsg, result['AVSresult']], ['', 'Y'])
    })
  }

  test('two security codes that differ are refused', async () => {
    const { result } = await charge(withCode({ CSV: '123', CVV: '124' }))
    assert.deepEqual([result.ErrCode, result.RespMsg], [4003, 'ccCardInfo.CSV and ccCardInfo.CVV differ'])
  })

  test('a request under an idempotency key is the same one by whatever names it is sent', async () => {
    const headers = { 'Idempotency-Key': 'by-other-names' }
    const holder = { Lastname: 'Miller', Phone: '2125550123' }
    const first = await charge(
      { ...withCode({ CSV: '123' }), AcctHolder: { ...holder, BillIngAdress: home } },
      headers,
    )
    assert.equal(first.result.ErrMsg, '')
    const { ccCardInfo } = withCode({ CVV2: '123' })
    const again = { MerchID: '1', Amounts: { BaseAmt: '25.50', Currency: 'USD' }, ccCardInfo, Colour: 'red' }
    const second = await charge({ AcctHolder: { BillingAddress: home, ...holder }, ...again }, headers)
    assert.deepEqual([second.result.ErrMsg, second.result['TxID']], ['', first.result['TxID']])
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.equal(second.headers['ignored-members'], 'Colour')
    const other = await charge(
      { ...sale, AcctHolder: { BillingAddress: { ...home, ZIP: '62702' }, ...holder } },
      headers,
    )
    assert.equal(other.result.ErrCode, 4221)
  })

  for (const [what, body, says] of [
    ['Currency', { ...sale, Currency: 'EUR' }, /^Currency must be USD/],
    [
      'Amounts.Currency',
      { ...sale, Amounts: { BaseAmt: 1, Currency: 'EUR' } },
      /^Amounts.Currency must be USD/,
    ],
    ['Tip', { ...sale, Amounts: { BaseAmt: 1, Tip: 2 } }, /^Amounts.Tip would change/],
    ['Capture', { ...sale, Capture: false }, /^Capture would change/],
    ['a slip', { ...sale, Amounts: { BaseAmt: 1, Surcharg: 1 } }, /did you mean Surcharge\?$/],
    ['other capitals', { ...sale, acctHolder: {} }, /^AcctHolder was sent as acctHolder/],
  ] as const) {
    test(`${what} is refused by name, and nothing is charged`, async () => {
      const { result } = await charge(body)
      assert.deepEqual([result.ErrCode, result['TxID']], [4003, 0])
      assert.match(result.RespMsg, says)
    })
  }

  const named = operations.flatMap(({ contract }) => (contract.currencyOf ? [contract] : []))
  for (const contract of named) {
    test(`${contract.path} is refused in another currency than that of its record`, async () => {
      const SessKey = await gateway().signIn()
      const body = await freshBody(gateway(), SessKey, contract)
      for (const place of placesOf(contract)) {
        const { result: wrong } = await call(gateway(), contract.path, within(body, place, 'JPY'), {
          SessKey,
        })
        assert.equal(wrong.ErrCode, 4003, wrong.ErrMsg)
        assert.match(wrong.RespMsg, /Currency must be (?:USD|EUR), the currency of the merchant record$/)
        assert(wrong.RespMsg.startsWith([...place, 'Currency'].join('.')))
      }
      const own = contract.path.startsWith('Intl/') ? 'EUR' : 'usd'
      const right = await call(gateway(), contract.path, { ...body, Currency: own }, { SessKey })
      assert.deepEqual([right.result.ErrMsg, right.headers['ignored-members']], ['', undefined])
    })
  }

  test('a thing of others has no currency: it is not found in the words of the operation', async () => {
    const body = { TxID: 999_999, Currency: 'JPY' }
    const SessKey = await gateway().signIn()
    const { result } = await call(gateway(), 'CardSale/Void', body, { SessKey })
    assert.equal(result.ErrCode, 6724)
  })

  test('a member that is not read is named in a header, over REST', async () => {
    const { result, headers } = await charge({
      ...sale,
      Colour: 'red',
      'My Field': { a: 1 },
      Empty: null,
      AcctHolder: { Lastname: 'Miller', BillIngAdress: { County: 'Sangamon', ZIP: '62701' } },
    })
    assert.equal(result.ErrMsg, '')
    assert.equal(headers['ignored-members'], 'AcctHolder.BillIngAdress.County, Colour, My_Field')
  })

  test('and over SOAP, where an empty element counts as absent', async () => {
    const members = `<SessKey>${await gateway().signIn()}</SessKey>
      <ccCardInfo><AccountNumber>4000000000000101</AccountNumber><ExpMonth>12</ExpMonth>
        <ExpYear>2098</ExpYear><CVV>123</CVV></ccCardInfo>
      <AcctHolder><Lastname>Miller</Lastname>
        <BillingAddress><ZIP>62701</ZIP><County>S</County></BillingAddress></AcctHolder>
      <Amounts><BaseAmt>25.50</BaseAmt><Surcharge/><TotalAmt></TotalAmt></Amounts>
      <MerchID>1</MerchID><Colour><Name>red</Name></Colour><Tip/><Currency/>`
    const answer = await soapSale(gateway(), members)
    assert.match(answer.text, /<ErrCode>0</)
    assert.match(answer.text, /<AVSresult>Y<.*<CVVresult>N</s)
    assert.equal(answer.headers['ignored-members'], 'AcctHolder.BillingAddress.County, Colour')
    const dear = await soapSale(gateway(), members.replace('<Currency/>', '<Currency>EUR</Currency>'))
    assert.match(dear.text, /<ErrCode>4003<.*Currency must be USD/s)
  })
})

function soapSale({ post }: TestGateway, members: string) {
  const asked = `<CreditCardSale_Manual xmlns="urn:tillgate:cardproc:v1">${members}</CreditCardSale_Manual>`
  const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
  const envelope = `<s:Envelope xmlns:s="${soap}"><s:Body>${asked}</s:Body></s:Envelope>`
  const headers = { 'content-type': 'text/xml; charset=utf-8' }
  return post('/APIcardProcService/CardProcAPI.svc', envelope, headers)
}

// The body itself, and the object that the record or an amount stands in.
function placesOf({ currencyOf, example }: ContractFacts): readonly (readonly string[])[] {
  const outer = currencyOf?.path.split('.').slice(0, -1) ?? []
  return [[], ...(outer.length > 0 ? [outer] : []), ...('Amounts' in example.request ? [['Amounts']] : [])]
}

function within(body: Body, [name, ...inner]: readonly string[], currency: string): Body {
  if (name === undefined) return { ...body, Currency: currency }
  return { ...body, [name]: within(Object(body[name]), inner, currency) }
}
