import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

// Pays a form over HTTP. Answers the page afterwards and the receipt that can be printed, as one browser sees
// them.
async function payForm(gateway: TestGateway, options: object, language = 'en-US') {
  const [BaseAmt, visa] = [9812.5, '4242424242424242']
  const Amounts = { BaseAmt, Surcharge: 0, TotalAmt: BaseAmt }
  const path = pathOf(await orderForm(gateway, { Amounts }, options))
  const headers = { 'accept-language': language }
  const shown = await gateway.send({ method: 'GET', path, headers })
  const k = /name="k" value="(\w+)"/.exec(shown.text)?.[1] ?? ''
  const typed = { ...goodCard, number: visa, total: '981250', k, email: 'zoe@example.com', mail: '1' }
  const paid = await gateway.send({
    method: 'POST',
    path,
    headers: {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams(typed).toString(),
  })
  const cookie = String(paid.headers['set-cookie']).split(';')[0] ?? ''
  const open = (address: string) =>
    gateway.send({ method: 'GET', path: address, headers: { ...headers, cookie } })
  return {
    page: (await open(path)).text,
    receipt: (await open(path.replace('PF.aspx', 'receipt'))).text,
  }
}

const rowOf = (text: string, label: string): string =>
  new RegExp(`<dt>${label}</dt><dd>([^<]*)</dd>`).exec(text)?.[1] ?? ''

const copiesIn = (text: string): readonly string[] => text.match(/(?:MERCHANT|CUSTOMER) COPY/g) ?? []

describe('a receipt', () => {
  const gateway = useGateway()

  test('says the same on the page, in print, by mail and over the interface', async (t) => {
    const { page, receipt } = await payForm(gateway(), { eVisible: 'E0E0', eSubmission: '0204' })
    assert.match(page, /Paid \$9,812\.50/)
    const date = /<dt>Date<\/dt><dd>([^<]*)</.exec(receipt)?.[1] ?? ''
    assert.match(date, /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M$/)
    assert.deepEqual(
      ['Account', 'Expiry', 'Card type', 'Amount', 'Total'].map((label) => rowOf(receipt, label)),
      ['x4242', 'xxxx', 'Visa ending 4242', '$9,812.50', '$9,812.50 USD'],
    )
    assert.match(receipt, /<p class="sum">\$9,812\.50<\/p>/)
    const REFID = rowOf(receipt, 'Transaction ID')
    const headers = { SessKey: await gateway().signIn() }
    const asked = { REFID, ReceiptType: 1, Recipient: 2 }
    const told = await gateway().post('/APIcardProcREST/v1.0.0/Receipt/ReceiptGenerate', asked, headers)
    assert.equal(readAnswer(told, 'ReceiptGenerateResult')['ReceiptHtml'], receipt)
    const mail = await t.waitFor(
      async () => {
        const { text } = await gateway().get('/sandbox/outbox')
        assert.match(text, /zoe@example\.com/)
        return text
      },
      { timeout: 20_000, interval: 100 },
    )
    for (const words of ['$9,812.50', 'Visa ending 4242', date]) assert.ok(mail.includes(words), words)
    assert.doesNotMatch(mail, /9812\.50/)
  })

  test('is written for the reader of the page, in print as on the page', async () => {
    const british = await payForm(gateway(), { eSubmission: '0208' }, 'en-GB')
    assert.match(british.page, /Paid US\$9,812\.50/)
    assert.equal(rowOf(british.receipt, 'Total'), 'US$9,812.50')
    assert.equal(rowOf(british.receipt, 'Date'), rowOf(british.page, 'Date'))
  })

  const both = ['MERCHANT COPY', 'CUSTOMER COPY']
  for (const [eSubmission, copies] of [
    ['0200', ['CUSTOMER COPY']],
    ['0201', ['CUSTOMER COPY']],
    ['0204', ['CUSTOMER COPY']],
    ['0208', ['CUSTOMER COPY']],
    ['0202', both],
    ['0206', both],
    ['020a', both],
  ] as const) {
    test(`of a form with eSubmission ${eSubmission} has the ${copies.join(' and the ')}`, async () => {
      const { receipt } = await payForm(gateway(), { eSubmission })
      assert.deepEqual(copiesIn(receipt), copies)
    })
  }
})
