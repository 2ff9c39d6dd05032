import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

describe('the workbench for forms', () => {
  const gateway = useGateway()

  test('of the sandbox shows the request, makes the form and names mistakes', async () => {
    const tick = (texts: string) => useWorkbench(gateway(), texts)
    assert.match((await gateway().get('/sandbox/forms')).text, /&quot;eVisible&quot;: &quot;A6E0&quot;/)
    assert.match((await tick('then=show&amount=5')).text, /&quot;eVisible&quot;: &quot;0640&quot;/)
    const shown = /formaction="\/sandbox\/forms#request"[^]*id="request"/
    assert.match((await tick('then=show')).text, shown, 'the page opens at the request')
    assert.match((await tick('then=show')).text, /value="9" checked disabled>expiration \(always on\)/)
    assert.match((await tick('then=show')).text, /value="10" checked disabled>CVV \(always on\)/)
    const opened = await tick('then=open&merchant=1&amount=5')
    assert.equal(opened.status, 303)
    assert.equal((await gateway().get(pathOf(String(opened.headers.location)))).status, 200)
    const abroad = await tick('then=open&merchant=3&amount=5')
    assert.equal(abroad.status, 303, 'an international record gets a form of its own kind')
    assert.match((await gateway().get(pathOf(String(abroad.headers.location)))).text, /€5\.00/)
    assert.match((await tick('then=show&merchant=3')).text, /WTYPE&quot;: &quot;PA&quot;/)
    assert.match((await tick('then=open&merchant=9&amount=5')).text, /role="alert"[^>]*>[^<]*9/)
  })

  for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }]) {
    test(`the workbench makes no form for a request with ${JSON.stringify(headers)}`, async () => {
      const { status, text } = await useWorkbench(gateway(), 'then=open&merchant=1&amount=5', headers)
      assert.equal(status, 200)
      assert.match(text, /role="alert"[^>]*>Press the button on this page/)
    })
  }

  const posts: readonly [postUrl: (baseUrl: string) => string, status: number][] = [
    [(baseUrl) => `${baseUrl}/sandbox/inbox/forms`, 303],
    [() => 'http://127.0.0.1:9/', 303],
    [() => 'http://localhost:9/', 303],
    [(baseUrl) => `${baseUrl}/sandbox/inbox@example.com/`, 303],
    [() => 'http://10.0.0.1/', 200],
    [() => 'https://shop.example/', 200],
    [() => 'http://127.0.0.1.shop.example/', 200],
    [() => 'http://127.0.0.1@shop.example/', 200],
    [() => 'nowhere', 200],
  ]
  for (const [postUrl, status] of posts) {
    const shown = postUrl('http://gateway')
    const does = status === 303 ? 'makes' : 'does not make'
    test(`the workbench ${does} a form that posts to ${shown}`, async () => {
      const url = encodeURIComponent(postUrl(gateway().baseUrl))
      const answer = await useWorkbench(gateway(), `then=open&merchant=1&amount=5&postUrl=${url}`)
      assert.equal(answer.status, status, answer.text)
      if (status === 200) assert.match(answer.text, /role="alert"[^>]*>PostURL must be the inbox/)
    })
  }
})

function useWorkbench(
  gateway: TestGateway,
  texts: string,
  headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
) {
  return gateway.send({
    method: 'POST',
    path: '/sandbox/forms',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: `visible=6&submission=9&${texts}`,
  })
}
