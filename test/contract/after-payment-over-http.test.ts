import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { initPath, orderForm } from '../support/form-client.ts'
import { formOrder, goodCard } from '../support/form-world.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'
import { openReceiver, type Received } from '../support/webhook-receiver.ts'
import { type ReadResult, writtenCode } from '../support/written-code.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

// Pays as a browser without script does, and answers the page after payment.
async function payAt(gateway: TestGateway, url: string): Promise<string> {
  const path = pathOf(url)
  const { headers, text } = await gateway.get(path)
  const k = /name="k" value="(\w+)"/.exec(text)?.[1] ?? ''
  const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
  const sent = await gateway.send({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', cookie },
    body: new URLSearchParams({ ...goodCard, k, total: '12500' }).toString(),
  })
  assert.equal(JSON.parse(sent.text).kind, 'paid')
  const payer = String(sent.headers['set-cookie']).split(';')[0] ?? cookie
  return (await gateway.send({ method: 'GET', path, headers: { cookie: payer } })).text
}

// null: the page stays.
function redirectIn(page: string): string | null {
  const [, target] = /http-equiv="refresh" content="\d;url=([^"]+)"/.exec(page) ?? []
  return target?.replaceAll('&amp;', '&') ?? null
}

async function receiverOf(t: TestContext) {
  const { promise: first, resolve } = Promise.withResolvers<Received>()
  const { url } = await openReceiver(t, (received, response) => {
    resolve(received)
    response.writeHead(200).end()
  })
  return { url, first }
}

const RedirectURL = 'https://shop.example/done?order=7'

describe('what follows a payment', () => {
  const gateway = useGateway()

  test('PostURL and RedirectURL get what the written code decrypts with the first key', async (t) => {
    const readResult = await writtenCode<ReadResult>('readResult')
    const { index: EINDEX, key } = gateway().integratorKey
    const { url: PostURL, first } = await receiverOf(t)
    const url = await orderForm(gateway(), { EINDEX, PostURL, RedirectURL }, { eSubmission: '0211' })
    const address = redirectIn(await payAt(gateway(), url)) ?? ''
    const { searchParams } = new URL(address)
    assert.deepEqual([...searchParams.keys()], ['order', 'm', 'i', 'sig'])
    const { method, path, headers } = await first
    assert.equal(method, 'GET')
    assert.doesNotMatch(path, /[+/]=*(?:&|$)|txid/, 'base64 is percent-encoded')
    assert.match(String(headers['webhook-signature']), /^v1,/)
    const posted = new URL(path, PostURL)
    for (const name of ['m', 'i'])
      assert.equal(posted.searchParams.get(name), searchParams.get(name), 'the very same bytes')
    for (const text of [address, posted.href]) {
      const { TXID, ...rest } = readResult(text, key)
      assert.match(TXID ?? '', /^[1-9]\d*$/)
      assert.partialDeepStrictEqual(rest, { CONSENTID: '0', CARDNO: '1111', REFID: 'invoice-1042' })
    }
  })

  test('a PostURL gets a GET and the payer is led on where no bit says what follows', async (t) => {
    const { url: PostURL, first } = await receiverOf(t)
    const url = await orderForm(gateway(), { PostURL, RedirectURL }, { eSubmission: '0000' })
    assert.match(
      redirectIn(await payAt(gateway(), url)) ?? '',
      /^https:\/\/shop\.example\/done\?order=7&txid=/,
    )
    const { method, path, body } = await first
    assert.deepEqual([method, body], ['GET', ''])
    assert.match(path, /^\/hooks\?txid=[1-9]\d*&cid=0$/)
  })

  for (const [eSubmission, redirects] of [
    ['0200', true],
    ['0203', true],
    ['0231', true],
    ['0202', false],
    ['0208', false],
    ['0210', false],
    ['0220', false],
    ['023E', false],
  ] as const) {
    test(`eSubmission ${eSubmission} posts, and ${redirects ? 'leads on' : 'stays'}`, async (t) => {
      const { url: PostURL, first } = await receiverOf(t)
      const url = await orderForm(gateway(), { PostURL, RedirectURL }, { eSubmission })
      assert.equal(redirectIn(await payAt(gateway(), url)) !== null, redirects)
      assert.equal((await first).method, 'GET')
    })
  }

  test('a link whose options have no bit of these leads to its RedirectURL, encrypted', async () => {
    const readResult = await writtenCode<ReadResult>('readResult')
    const { index: EINDEX, key } = gateway().integratorKey
    const url = await sendLink(gateway(), { RedirectURL, EINDEX, OptParam: 'OPTIONS|0200' })
    const address = redirectIn(await payAt(gateway(), url)) ?? ''
    assert.partialDeepStrictEqual(readResult(address, key), { CARDNO: '1111', REFID: 'invoice-1042' })
    const staying = await sendLink(gateway(), { RedirectURL, OptParam: 'OPTIONS|0208' })
    assert.equal(redirectIn(await payAt(gateway(), staying)), null)
  })

  test('an EINDEX that is not known is refused by name', async () => {
    const SessKey = await gateway().signIn()
    const form = await gateway().post(initPath, formOrder({ EINDEX: '301' }), { SessKey })
    assert.match(form.text, /"ErrCode":6603,.*InitParams\.EINDEX 301/)
    const Msg = { MessageType: 'URLONLY', MerchID: 1, Amount: 5, EINDEX: '1' }
    const link = await gateway().post('/APIcardProcREST/v1.0.0/Other/SMSPay', { Msg }, { SessKey })
    assert.match(link.text, /"ErrCode":6603,.*Msg\.EINDEX 1/)
  })
})
