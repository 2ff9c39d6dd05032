import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { findForm, orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { type HttpAnswer, type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { count } from '../support/counts.ts'

type Sending = {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

async function pageKey(gateway: TestGateway, url: string): Promise<string> {
  const { text } = await gateway.get(pathOf(url))
  return /name="k" value="(\w+)"/.exec(text)?.[1] ?? ''
}

async function send(gateway: TestGateway, { url, fields, headers = {} }: Sending): Promise<HttpAnswer> {
  const body = new URLSearchParams({ ...goodCard, total: '12500', ...fields }).toString()
  return gateway.send({
    method: 'POST',
    path: pathOf(url),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
    body,
  })
}

async function offersMail(gateway: TestGateway, changes: object, options: object): Promise<boolean> {
  const { text } = await gateway.get(pathOf(await orderForm(gateway, changes, options)))
  return /name="mail"/.test(text)
}

// Who pays, as the addresses of a page say it.
function carriedIn({ text }: HttpAnswer): string {
  return /[&;]b=([0-9a-f]+)/.exec(text)?.[1] ?? ''
}

function cookieIn({ headers }: HttpAnswer): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

describe('the hosted form over HTTP', () => {
  const gateway = useGateway()

  test('every page forbids what it does not need, and is kept nowhere', async () => {
    const url = await orderForm(gateway())
    for (const path of [pathOf(url), '/PayForm/PF.aspx?s=none']) {
      const { headers } = await gateway().get(path)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.match(
        policy,
        /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none';/,
      )
      assert.match(policy, / report-uri \/PayForm\/policy-report$/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    }
  })

  test('an address that leads to no form is a page of its own', async () => {
    for (const token of ['', 'none', '0'.repeat(32), "' or 1=1 --"]) {
      const { status, text } = await gateway().get(`/PayForm/PF.aspx?s=${encodeURIComponent(token)}`)
      assert.equal(status, 404)
      assert.match(text, /There is no such page/)
    }
  })

  test('files are named by their content and can be kept for ever; no other name is served', async () => {
    const { text } = await gateway().get(pathOf(await orderForm(gateway())))
    const [, path = ''] = /src="(\/PayForm\/assets\/[^"]+)"/.exec(text) ?? []
    const { headers } = await gateway().get(path)
    assert.match(String(headers['cache-control']), /immutable/)
    for (const name of ['pay-form.js', '..%2Fpackage.json', 'tsconfig.json'])
      assert.equal((await gateway().get(`/PayForm/assets/${name}`)).status, 404)
  })

  const elsewhere: readonly Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ]
  for (const headers of elsewhere) {
    test(`a payment that another site sends (${JSON.stringify(headers)}) is turned away`, async () => {
      const url = await orderForm(gateway())
      const k = await pageKey(gateway(), url)
      assert.equal((await send(gateway(), { url, fields: { k }, headers })).status, 403)
      assert.equal((await findForm(gateway(), url))['State'], 'OPEN')
    })
  }

  test('a payment without the key of its page does nothing', async () => {
    const url = await orderForm(gateway())
    assert.equal(JSON.parse((await send(gateway(), { url, fields: {} })).text).kind, 'stale')
    const { status, text } = await send(gateway(), { url, fields: {}, headers: { accept: 'text/html' } })
    assert.equal(status, 422)
    assert.match(text, /Please press once more[^]*Nothing was charged/)
    assert.equal((await findForm(gateway(), url))['Tries'], 0)
  })

  test('the payer can ask once for more time', async () => {
    const url = await orderForm(gateway())
    const before = await findForm(gateway(), url)
    const extend = { ...goodCard }
    for (let asked = 0; asked < 2; asked++)
      await send(gateway(), { url: url.replace('PF.aspx', 'extend'), fields: extend })
    const after = await findForm(gateway(), url)
    const minutes = (form: typeof before) => Temporal.Instant.from(String(form['ExpiresOn']))
    assert.equal(minutes(after).since(minutes(before)).total('minutes'), 30)
  })

  const redirect = { RedirectURL: 'https://shop.example/done?order=7' }

  test('after payment the payer goes back with ids that are signed', async () => {
    const url = await orderForm(gateway(), redirect, { eSubmission: '0201' })
    const paid = await send(gateway(), { url, fields: { k: await pageKey(gateway(), url) } })
    assert.equal(JSON.parse(paid.text).kind, 'paid')
    const cookie = String(paid.headers['set-cookie']).split(';')[0] ?? ''
    const page = await gateway().send({ method: 'GET', path: pathOf(url), headers: { cookie } })
    assert.equal(page.status, 410)
    const [, target = ''] = /http-equiv="refresh" content="\d;url=([^"]+)"/.exec(page.text) ?? []
    const { origin, searchParams } = new URL(target.replaceAll('&amp;', '&'))
    assert.deepEqual([origin, searchParams.get('order')], ['https://shop.example', '7'])
    const { TransactionID } = await findForm(gateway(), url)
    assert.equal(searchParams.get('txid'), String(TransactionID))
    assert.match(searchParams.get('sig') ?? '', /^[0-9a-f]{64}$/)
    const other = await gateway().get(pathOf(url))
    assert.equal(other.status, 410)
    assert.doesNotMatch(other.text, /shop\.example/)
  })

  test('a form that is to redirect and knows no address tells that it is paid, and stays', async () => {
    const url = await orderForm(gateway(), {}, { eSubmission: '0201' })
    const paid = await send(gateway(), { url, fields: { k: await pageKey(gateway(), url) } })
    const headers = { cookie: cookieIn(paid) }
    const { text } = await gateway().send({ method: 'GET', path: pathOf(url), headers })
    assert.match(text, /Paid \$125\.00/)
    assert.doesNotMatch(text, /http-equiv="refresh"/)
  })

  test('a receipt by mail is offered where something is paid and an address can be known', async () => {
    assert.equal(await offersMail(gateway(), {}, { eVisible: 'E063' }), true)
    assert.equal(await offersMail(gateway(), {}, { eVisible: '4063' }), true, 'the shop has sent the address')
    assert.equal(await offersMail(gateway(), { Payer: {} }, { eVisible: '4060' }), false)
    assert.equal(await offersMail(gateway(), {}, { eVisible: 'F063', eSubmission: '0408' }), false)
  })

  test('nobody plants who pays: an address says so only in a frame, and only as we made it', async () => {
    const url = await orderForm(gateway())
    const open = (more: string, dest: string) =>
      gateway().send({ method: 'GET', path: pathOf(url) + more, headers: { 'sec-fetch-dest': dest } })
    const issued = carriedIn(await open('', 'iframe'))
    assert.match(issued, /^[0-9a-f]{64}$/)
    assert.equal(carriedIn(await open(`&b=${issued}`, 'iframe')), issued)
    assert.equal(carriedIn(await open(`&b=${issued}`, 'document')), '')
    for (const planted of ['a'.repeat(32), 'a'.repeat(64), `${issued.slice(0, 63)}x`])
      assert.notEqual(carriedIn(await open(`&b=${planted}`, 'iframe')).slice(0, 32), planted.slice(0, 32))
    const another = await orderForm(gateway())
    const path = `${pathOf(another)}&b=${issued}`
    const inOther = await gateway().send({ method: 'GET', path, headers: { 'sec-fetch-dest': 'iframe' } })
    assert.notEqual(carriedIn(inOther), issued)
  })

  test('a browser that comes again keeps its cookie for another day', async () => {
    const url = await orderForm(gateway())
    const cookie = cookieIn(await gateway().get(pathOf(url)))
    assert.match(cookie, /^tillgate_form=/)
    const again = await gateway().send({ method: 'GET', path: pathOf(url), headers: { cookie } })
    assert.equal(cookieIn(again), cookie)
    const k = await pageKey(gateway(), url)
    assert.equal(cookieIn(await send(gateway(), { url, fields: { k }, headers: { cookie } })), cookie)
  })
})

describe('guessing forms', () => {
  const gateway = useGateway({ TILLGATE_RATE_LIMITS: 'on', TILLGATE_QUERIES_PER_SECOND: '100000' })

  test('whoever guesses is turned away, and whoever misses a file or a receipt is not', async () => {
    const url = await orderForm(gateway())
    const receipt = pathOf(url).replace('PF.aspx', 'receipt')
    for (let miss = 0; miss < 21; miss++)
      for (const path of ['/PayForm/assets/old.css', '/PayForm/theme/none.css', receipt])
        assert.equal((await gateway().get(path)).status, 404)
    assert.equal((await gateway().get(pathOf(url))).status, 200)
    const guess = `${gateway().baseUrl}/PayForm/PF.aspx?s=${'0'.repeat(32)}`
    for (let miss = 0; miss < 7; miss++) {
      await gateway().get(pathOf(guess))
      await gateway().get(pathOf(guess).replace('PF.aspx', 'state'))
      await send(gateway(), { url: guess, fields: {} })
    }
    const { status, headers, text } = await gateway().get(pathOf(url))
    assert.deepEqual([status, headers['retry-after']], [429, '600'])
    assert.match(text, /Please wait a few minutes/)
    const [style = ''] = /\/PayForm\/assets\/[^"]+\.css/.exec(text) ?? []
    assert.equal((await gateway().get(style)).status, 200, 'pages of links have the same files')
  })
})

describe('guessing pictures', () => {
  const gateway = useGateway({ TILLGATE_RATE_LIMITS: 'on', TILLGATE_QUERIES_PER_SECOND: '100000' })

  test('whoever guesses is turned away from pictures, and from no form and no file', async () => {
    const url = await orderForm(gateway())
    const guess = (at: number) => gateway().get(`/PayForm/pictures/${String(at).padStart(32, '0')}.png`)
    for (let miss = 0; miss < 20; miss++) assert.equal((await guess(miss)).status, 404)
    const { status, headers, text } = await guess(20)
    assert.deepEqual([status, headers['retry-after'], text], [429, '600', 'Please wait.\n'])
    const page = await gateway().get(pathOf(url))
    assert.equal(page.status, 200)
    const [style = ''] = /\/PayForm\/assets\/[^"]+\.css/.exec(page.text) ?? []
    assert.equal((await gateway().get(style)).status, 200)
  })
})

describe('a form under attack', () => {
  const gateway = useGateway({ TILLGATE_RATE_LIMITS: 'on', TILLGATE_QUERIES_PER_SECOND: '100000' })

  // It does all that a browser does, solves what it is asked to solve, and never gives up.
  test('of a bot with 2,000 cards at most 2 in 100 reach the acquirer', async () => {
    const cards = Array.from({ length: count({ usual: 400, full: 2_000 }) }, (_, at) => testCard(at))
    assert.equal(new Set(cards).size, cards.length)
    const REF_ID = 'bot-1'
    const url = await orderForm(gateway(), { REF_ID })
    const answers: string[] = []
    let key = ''
    const tryCard = async (number: string, proof = ''): Promise<void> => {
      key = (await pageKey(gateway(), url)) || key
      const fields = { k: key, number, zip: '46282', proof }
      const { kind, puzzle } = JSON.parse((await send(gateway(), { url, fields })).text)
      answers.push(kind)
      if (kind === 'puzzle' && proof === '') await tryCard(number, solve(puzzle))
    }
    // One by one as long as something may come of it, then as fast as it can.
    for (const number of cards.slice(0, 10)) await tryCard(number)
    for (let at = 10; at < cards.length; at += 20)
      await Promise.all(cards.slice(at, at + 20).map((number) => tryCard(number)))
    const asked = await attemptsFor(gateway(), REF_ID)
    assert(asked > 0 && asked <= cards.length / 50, `${asked} of ${cards.length} reached the acquirer`)
    assert(answers.length >= cards.length, 'every card was sent')
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['CLOSED', asked])
  })
})

async function attemptsFor(gateway: TestGateway, RefID: string): Promise<number> {
  const headers = { SessKey: await gateway.signIn() }
  const { text } = await gateway.post('/APIcardProcREST/v1.0.0/Operation/Lookup', { RefID }, headers)
  const answer: { Operation_LookupResult: { Operations: { State: string }[] } } = JSON.parse(text)
  // Refused are those that came after the form was taken or closed; nothing of them was sent.
  return answer.Operation_LookupResult.Operations.filter(({ State }) => State !== 'refused').length
}

function solve({ text, bits }: { readonly text: string; readonly bits: number }): string {
  for (let proof = 0; ; proof++) {
    const digest = createHash('sha256').update(`${text}:${proof}`).digest()
    if (digest.readUInt32BE() >>> (32 - bits) === 0) return String(proof)
  }
}

// Numbers of no real card that the simulated bank declines or does not know, each with a right check digit.
function testCard(at: number): string {
  const stem = `40000000000${String(at).padStart(4, '0')}`
  return Array.from({ length: 10 }, (_, digit) => `${stem}${digit}`).find(passesLuhn) ?? stem
}

function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => {
      const doubled = at % 2 === 1 ? Number(digit) * 2 : Number(digit)
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
  return sum % 10 === 0
}
