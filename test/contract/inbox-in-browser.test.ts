import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import axe from 'axe-core'
import { screens, useBrowser } from '../support/browser.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { freshBody } from './fresh-call.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { randomLetters } from '#platform/crypto/random.ts'

const openAll = 'for (const one of document.querySelectorAll("details")) one.open = true'
const phone = ['a narrow phone', { width: 360, height: 780 }] as const

describe('the webhook inbox', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function call(path: string, body: object): Promise<unknown> {
    const headers = { SessKey: await gateway().signIn() }
    const answer = await gateway().post(`/APIcardProcREST/v1.0.0/${path}`, body, headers)
    assert.equal(answer.status, 200, answer.text)
    return JSON.parse(answer.text)
  }

  test('a payment arrives there by itself, signed, to the byte', async (t) => {
    await call('Webhook/Add', { URL: `${gateway().baseUrl}/sandbox/inbox/orders` })
    const [sale, ref] = [await freshBody(gateway(), '', chargeCardContract), randomLetters()]
    await call('CardSale/Manual', { ...sale, PurchItems: { ClientRefID: ref } })
    await using context = await browser().open(screens[1][1])
    const page = await context.newPage()
    // What was paid a moment before the inbox was named may arrive there, too.
    const arrived = page.locator('details', { hasText: ref })
    await t.waitFor(
      async () => {
        await page.goto(`${gateway().baseUrl}/sandbox/inbox`)
        assert(await arrived.getByText('payment.approved', { exact: true }).isVisible())
      },
      { timeout: 20_000, interval: 200 },
    )
    await page.evaluate(openAll)
    assert(await arrived.getByText('Signature right').isVisible())
    assert(await arrived.getByText(/^\{"type":"payment\.approved","timestamp"/).isVisible())
    assert(await arrived.getByText('webhook-signature').isVisible())
  })

  test('an address with ?answer=503 answers so, and any body is taken', async () => {
    const sent = await gateway().send({
      method: 'POST',
      path: '/sandbox/inbox/failing?answer=503',
      headers: { 'content-type': 'text/plain' },
      body: 'not JSON',
    })
    assert.equal(sent.status, 503)
    assert.equal((await gateway().get('/sandbox/inbox/asked?txid=57')).status, 204)
    assert.equal((await gateway().get('/sandbox/inbox/no%20name')).status, 404)
  })

  for (const [where, screen] of [phone, ...screens]) {
    test(`the page on ${where} breaks no policy, needs no sideways scrolling and is accessible`, async () => {
      await using context = await browser().open(screen)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(`${gateway().baseUrl}/sandbox/inbox`, { waitUntil: 'networkidle' })
      await page.evaluate(openAll)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), screen.width)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate(axe.source)
        const { violations }: axe.AxeResults = await page.evaluate('axe.run()')
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
          [],
        )
      }
      assert.deepEqual(complaints, [])
    })
  }
})
