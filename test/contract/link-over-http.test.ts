import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { count } from '../support/counts.ts'
import { goodCard } from '../support/form-world.ts'
import { type HttpAnswer, type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { linkAt, sendLink, withdraw } from '../support/link-client.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search
const letters = '0123456789abcdefghjkmnpqrstvwxyz'

type Sending = {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

function send(gateway: TestGateway, { path, fields, headers = {} }: Sending): Promise<HttpAnswer> {
  return gateway.send({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
    body: new URLSearchParams({ ...goodCard, total: '12500', ...fields }).toString(),
  })
}

async function keyIn(gateway: TestGateway, path: string): Promise<string> {
  return /name="k" value="(\w+)"/.exec((await gateway.get(path)).text)?.[1] ?? ''
}

function guess(): string {
  return Array.from(randomBytes(16), (byte) => letters[byte % 32]).join('')
}

describe('a link over HTTP', () => {
  const gateway = useGateway()

  test('in 20 tabs paid in all of them at once is charged once', async () => {
    const path = pathOf(await sendLink(gateway()))
    const keys = await Promise.all(Array.from({ length: 20 }, () => keyIn(gateway(), path)))
    const paid = await Promise.all(keys.map((k) => send(gateway(), { path, fields: { k } })))
    const kinds = paid.map(({ text }) => String(JSON.parse(text).kind)).toSorted()
    assert.deepEqual(kinds, ['paid', ...Array.from({ length: 19 }, () => 'stale')])
    const { State, Payments } = await linkAt(gateway(), gateway().baseUrl + path)
    assert.deepEqual([State, Payments], ['PAID', 1])
  })

  test('a payer who is about to be sent on can stay on the page', async () => {
    const path = pathOf(await sendLink(gateway(), { RedirectURL: 'https://shop.example/thanks' }))
    const { headers, text } = await gateway().get(path)
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    const k = /name="k" value="(\w+)"/.exec(text)?.[1] ?? ''
    await send(gateway(), { path, fields: { k }, headers: { cookie } })
    const paid = await gateway().send({ method: 'GET', path, headers: { cookie } })
    assert.match(paid.text, /http-equiv="refresh"/)
    const [, stay = ''] = /href="([^"]*stay=1)"/.exec(paid.text) ?? []
    assert.equal(stay, `${path}?stay=1`)
    const stayed = await gateway().send({ method: 'GET', path: stay, headers: { cookie } })
    assert.match(stayed.text, /shop\.example/)
    assert.doesNotMatch(stayed.text, /http-equiv="refresh"/)
  })

  test('its reference stands on its page, before and after payment', async () => {
    const path = pathOf(await sendLink(gateway()))
    const { headers, text } = await gateway().get(path)
    assert.match(text, /<span>Reference<\/span><b>invoice-1042<\/b>/)
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    const k = /name="k" value="(\w+)"/.exec(text)?.[1] ?? ''
    await send(gateway(), { path, fields: { k }, headers: { cookie } })
    const paid = await gateway().send({ method: 'GET', path, headers: { cookie } })
    assert.match(paid.text, /<dt>Reference<\/dt><dd>invoice-1042<\/dd>/)
  })

  test('preview bots that open it, and only ask for its head, do not use it up', async () => {
    const url = await sendLink(gateway(), { Person: { Firstname: 'Ada' }, MessageBody: 'Cleaning' })
    for (const agent of ['WhatsApp/2.23', 'facebookexternalhit/1.1', 'Slackbot-LinkExpanding 1.0'])
      for (const method of ['HEAD', 'GET'])
        await gateway().send({ method, path: pathOf(url), headers: { 'user-agent': agent } })
    const { State, OpenedOn } = await linkAt(gateway(), url)
    assert.equal(State, 'OPEN')
    assert.notEqual(OpenedOn, '')
    const { text } = await gateway().get(pathOf(url))
    for (const name of ['og:title', 'og:description']) {
      const [, shown] = new RegExp(`<meta property="${name}" content="([^"]*)">`).exec(text) ?? []
      assert.equal(shown, 'Corner Books', name)
    }
    const [, title] = /<title>([^<]*)<\/title>/.exec(text) ?? []
    assert.doesNotMatch(String(title), /Ada|125|Cleaning/, 'a preview shows the name of the merchant alone')
  })

  test('its pages forbid what they do not need, and are kept nowhere', async () => {
    const url = await sendLink(gateway(), { Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
    for (const path of [pathOf(url), `/sw/${guess()}`]) {
      const { headers } = await gateway().get(path)
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['referrer-policy'], 'no-referrer')
    }
  })

  test('before its questions are answered it shows neither amount, name, words nor receipt', async () => {
    const url = await sendLink(gateway(), {
      Person: { Firstname: 'Ada' },
      MessageBody: 'Root canal',
      Questions: [{ Question: 'ZIP?', Answer: '62701' }],
    })
    for (const page of ['', '/receipt', '/state']) {
      const { text } = await gateway().get(pathOf(url) + page)
      assert.doesNotMatch(text, /Ada|\b125\b|Root canal/)
    }
    const { text } = await send(gateway(), { path: pathOf(url), fields: { k: '' } })
    assert.doesNotMatch(text, /\b125\b|paid/)
  })

  test('a payment or an answer that another site sends is turned away', async () => {
    const url = await sendLink(gateway(), { Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
    const headers = { 'sec-fetch-site': 'cross-site' }
    for (const page of ['', '/answers'])
      assert.equal((await send(gateway(), { path: pathOf(url) + page, fields: {}, headers })).status, 404)
  })

  test('it is drawn as a QR code that stands alone', async () => {
    const url = await sendLink(gateway())
    const { status, headers, text } = await gateway().get(`${pathOf(url)}/qr.svg`)
    assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml'])
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.doesNotMatch(text, /script|href/)
    assert.equal((await gateway().get(`/sw/${guess()}/qr.svg`)).status, 404)
  })

  test('a state that is asked for tells at once that it was withdrawn', async () => {
    const url = await sendLink(gateway())
    const state = async () => JSON.parse((await gateway().get(`${pathOf(url)}/state`)).text).standing
    assert.equal(await state(), 'open')
    await withdraw(gateway(), url)
    assert.equal(await state(), 'withdrawn')
    assert.equal((await gateway().get(pathOf(url))).status, 410)
  })

  test('who was declined and did not hear it is told the same by its state, nobody else is', async () => {
    const path = `${pathOf(await sendLink(gateway()))}?l=fr`
    const fields = { k: await keyIn(gateway(), path), number: '4000000000000002' }
    const answer = await send(gateway(), { path, fields })
    const { kind, k, ...words } = JSON.parse(answer.text)
    assert.deepEqual([kind, words.title], ['declined', 'Votre banque n\u2019a pas approuvé ce paiement'])
    const asks = async (headers: Readonly<Record<string, string>>) =>
      JSON.parse((await gateway().send({ method: 'GET', path: path.replace('?', '/state?'), headers })).text)
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
    const [mine, somebody] = [await asks({ cookie }), await asks({})]
    assert.deepEqual([mine.k, mine.declined], [k, words])
    assert.deepEqual([somebody.k, somebody.declined], [k, null])
  })

  test('the receipt is for the browser that paid', async () => {
    const path = pathOf(await sendLink(gateway()))
    const paid = await send(gateway(), { path, fields: { k: await keyIn(gateway(), path) } })
    const cookie = String(paid.headers['set-cookie']).split(';')[0] ?? ''
    const mine = await gateway().send({ method: 'GET', path: `${path}/receipt`, headers: { cookie } })
    assert.match(mine.text, /CUSTOMER COPY/)
    assert.equal((await gateway().get(`${path}/receipt`)).status, 404)
    assert.match((await gateway().get(path)).text, /paid already/)
  })

  test('each visit to a link for many payments has a form of its own', async () => {
    const path = pathOf(await sendLink(gateway(), { SingleUse: 0 }))
    const visits = await Promise.all([gateway().get(path), gateway().get(path)])
    const places = visits.map(({ headers }) => String(headers.location))
    assert.equal(new Set(places).size, 2)
    for (const place of places) {
      const paid = await send(gateway(), { path: place, fields: { k: await keyIn(gateway(), place) } })
      assert.equal(JSON.parse(paid.text).kind, 'paid')
    }
    const { State, Payments } = await linkAt(gateway(), gateway().baseUrl + path)
    assert.deepEqual([State, Payments], ['OPEN', 2])
  })

  test('an old page of a link asks to press once more only while the link can be paid', async () => {
    const url = await sendLink(gateway())
    const press = () => {
      return send(gateway(), { path: pathOf(url), fields: { k: 'old' }, headers: { accept: 'text/html' } })
    }
    assert.match((await press()).text, /Please press once more/)
    await withdraw(gateway(), url)
    assert.equal((await press()).status, 303, 'sent on to what became of it')
  })

  test('whoever has paid a link for many is shown that also after it was withdrawn', async () => {
    const url = await sendLink(gateway(), { SingleUse: 0 })
    const place = String((await gateway().get(pathOf(url))).headers.location)
    const paid = await send(gateway(), { path: place, fields: { k: await keyIn(gateway(), place) } })
    await withdraw(gateway(), url)
    const cookie = String(paid.headers['set-cookie']).split(';')[0] ?? ''
    const { text } = await gateway().send({ method: 'GET', path: place, headers: { cookie } })
    assert.match(text, /Paid \$125\.00/)
    const { text: plain } = await gateway().get(pathOf(url))
    assert.match(plain, /was withdrawn/)
    assert.doesNotMatch(plain, /Nothing was charged/, 'nobody knows who asks')
    const { text: other } = await gateway().get(`${pathOf(url)}?p=${'0'.repeat(32)}`)
    assert.match(other, /was withdrawn[^]*Nothing was charged/)
  })

  test('whoever was passed the page of somebody who has paid can pay as well', async () => {
    const url = await sendLink(gateway(), { SingleUse: 0 })
    const place = String((await gateway().get(pathOf(url))).headers.location)
    await send(gateway(), { path: place, fields: { k: await keyIn(gateway(), place) } })
    const { text } = await gateway().get(place)
    assert.match(text, /Somebody else has paid/)
    assert(text.includes(`<a class="pay" href="${pathOf(url)}">`), text)
  })

  test('without script the page of the link stands also after a decline', async () => {
    const path = pathOf(await sendLink(gateway(), { MessageBody: 'Your cleaning', DueOn: '2028-11-20' }))
    const fields = { k: await keyIn(gateway(), path), number: '4000000000000002' }
    const { text } = await send(gateway(), { path, fields, headers: { accept: 'text/html' } })
    assert.match(text, /You have not been charged|did not approve/)
    assert.match(text, /Your cleaning/)
    assert.match(text, /Not you\?/)
  })

  test('a paid link with questions says so to other browsers, and asks them nothing', async () => {
    const url = await sendLink(gateway(), { Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
    const path = pathOf(url)
    const right = await send(gateway(), { path: `${path}/answers`, fields: { answer1: '62701' } })
    const cookie = [right.headers['set-cookie']]
      .flat()
      .map((one) => String(one).split(';')[0])
      .join('; ')
    const page = await gateway().send({ method: 'GET', path, headers: { cookie } })
    const k = /name="k" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    await send(gateway(), { path, fields: { k }, headers: { cookie } })
    assert.equal((await linkAt(gateway(), url))['State'], 'PAID')
    const { status, text } = await gateway().get(path)
    assert.equal(status, 410)
    assert.match(text, /paid already/)
    assert.doesNotMatch(text, /ZIP|\b125\b/)
  })

  const odd = ['', 'x', '0'.repeat(17), '%00', "' or 1=1 --", '..%2f..%2fetc', 'é'.repeat(16)]
  for (const code of odd) {
    test(`"${code}" leads to no link, and to a page all the same`, async () => {
      const { status } = await gateway().get(`/sw/${encodeURI(code)}`)
      assert([400, 404].includes(status), String(status))
    })
  }
})

describe('what no page of ours sends', () => {
  const gateway = useGateway()

  for (const [what, type, bytes, status] of [
    ['too much', 'application/x-www-form-urlencoded', 20_000, 413],
    ['something else', 'text/plain', 5, 415],
  ] as const) {
    test(`${what} is turned away from a link as no fault of ours`, async () => {
      const path = pathOf(await sendLink(gateway()))
      const body = 'a'.repeat(bytes)
      const told = await gateway().send({ method: 'POST', path, headers: { 'content-type': type }, body })
      assert.equal(told.status, status)
      assert.match(told.text, /There is no such link/)
    })
  }
})

describe('guessing links', () => {
  const gateway = useGateway({ TILLGATE_RATE_LIMITS: 'on', TILLGATE_QUERIES_PER_SECOND: '100000' })

  test('10,000 guesses find nothing and are slowed down, and so is a right one among them', async () => {
    const url = await sendLink(gateway())
    const guesses = count({ usual: 10_000, full: 10_000 })
    const statuses = new Map<number, number>()
    for (let at = 0; at < guesses; at += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => gateway().get(`/sw/${guess()}`)))
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    assert.deepEqual(new Set(statuses.keys()), new Set([404, 429]))
    assert.equal(statuses.get(404), 20, 'also of those that come at once')
    const { status, headers, text } = await gateway().get(pathOf(url))
    assert.equal(status, 429)
    assert(Number(headers['retry-after']) > 0)
    assert.match(text, /Please wait a few minutes/)
  })
})

describe('a bank that does not answer', () => {
  const gateway = useGateway({ TILLGATE_PATIENCE_PERCENT: '2' })

  test('whoever is paying a link for many is shown that also after it was withdrawn', async () => {
    const url = await sendLink(gateway(), { SingleUse: 0, Amount: 9_900.98 })
    const place = String((await gateway().get(pathOf(url))).headers.location)
    const fields = { k: await keyIn(gateway(), place), total: '990098' }
    const told = await send(gateway(), { path: place, fields })
    assert.equal(JSON.parse(told.text).kind, 'pending')
    await withdraw(gateway(), url)
    const { text } = await gateway().get(place)
    assert.match(text, /<main class="notice pending"[^]*still asking/)
    assert.doesNotMatch(text, /Nothing was charged/)
    const state = await gateway().get(place.replace('?', '/state?'))
    assert.equal(JSON.parse(state.text).standing, 'paying')
  })
})
