import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orderForm } from '../support/form-client.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

function cookieIn({ headers }: HttpAnswer): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

describe('the cookie of a form', () => {
  const gateway = useGateway()
  const planted = `tillgate_form=${'ab'.repeat(16)}`

  async function cookieFor(url: string, cookie: string): Promise<string> {
    return cookieIn(await gateway().send({ method: 'GET', path: pathOf(url), headers: { cookie } }))
  }

  for (const [what, cookie] of [
    ['without a signature', planted],
    ['with another signature', planted + 'cd'.repeat(16)],
    ['that is longer', `${planted}${'cd'.repeat(16)}ab`],
  ] as const) {
    test(`a planted value ${what} is not accepted`, async () => {
      const given = await cookieFor(await orderForm(gateway()), cookie)
      assert.match(given, /^tillgate_form=[0-9a-f]{64}$/)
      assert.ok(!given.startsWith(planted))
    })
  }

  test('a value of the cookie of a link is not accepted', async () => {
    const url = await orderForm(gateway())
    const ofLink = cookieIn(await gateway().get(pathOf(await sendLink(gateway()))))
    assert.match(ofLink, /^tillgate_link=[0-9a-f]{64}$/)
    const renamed = ofLink.replace('tillgate_link', 'tillgate_form')
    assert.notEqual(await cookieFor(url, renamed), renamed)
  })

  test('a planted cookie does not hide the right one behind it', async () => {
    const url = await orderForm(gateway())
    const right = cookieIn(await gateway().get(pathOf(url)))
    assert.equal(await cookieFor(url, `${planted}${'cd'.repeat(16)}; ${right}`), right)
  })
})
