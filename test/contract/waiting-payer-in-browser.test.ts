import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import {
  assertUsable,
  bankIn,
  cardThatAsks,
  confirmIn,
  fillCard,
  formScreens,
  openPayer,
  phone,
} from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const opened = new Date('2026-01-01T12:00:00Z')
const looked = new Date('2026-01-01T12:01:00Z')

// The answers to what the page sends wait until they are let through.
async function holdAnswers(page: Page) {
  const [sent, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/PayForm/PF.aspx**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    sent.resolve()
    await free.promise
    return route.fulfill({ response })
  })
  return { isSent: sent.promise, letThrough: free.resolve }
}

const isAsking = (page: Page) => page.locator('#asking').isVisible()

async function assertAsking(page: Page): Promise<void> {
  assert.equal(await isAsking(page), true)
  assert.match(await page.locator('#asking').innerText(), /still asking your bank[^]*Do not pay again/)
  assert.equal(await page.evaluate('document.activeElement?.id'), 'asking-title')
  for (const id of ['#form', '#check']) assert.equal(await page.locator(id).isVisible(), false, id)
}

describe('a payer whose bank takes its time', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  // The page's own time stands still but for what a test lets pass.
  async function visit(url: string, look: (page: Page) => Promise<void>, viewport = phone): Promise<void> {
    await using context = await browser().open(viewport)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.clock.install({ time: opened })
    await page.goto(url)
    await page.clock.pauseAt(looked)
    await look(page)
    assertCalm()
  }

  for (const screen of formScreens) {
    test(`at ${screen.width} pixels hears after ten seconds not to pay again, then of success`, async () => {
      const url = await orderForm(gateway())
      const look = async (page: Page) => {
        const { isSent, letThrough } = await holdAnswers(page)
        await fillCard(page)
        await page.click('#pay')
        await isSent
        assert.equal(await page.getByRole('status').last().textContent(), 'Paying…')
        await page.clock.runFor(9_999)
        assert.match(await page.locator('#pay-text').innerText(), /Talking to your bank/)
        assert.equal(await page.getByRole('status').last().textContent(), 'Talking to your bank…')
        assert.equal(await isAsking(page), false)
        await page.clock.runFor(1)
        await assertAsking(page)
        // Whoever judges the page needs time of its own.
        await page.clock.resume()
        await assertUsable(page, 'still asking')
        await keepScreen(page, `asking-${screen.width}`)
        letThrough()
        await page.locator('.done').waitFor()
      }
      await visit(url, look, screen)
      const { State, Tries } = await findForm(gateway(), url)
      assert.deepEqual([State, Tries], ['PAID', 1])
    })
  }

  test('has the form back when the bank says no, and can pay with another card', async () => {
    await visit(await orderForm(gateway()), async (page) => {
      const { isSent, letThrough } = await holdAnswers(page)
      await fillCard(page, '4000000000000002')
      await page.click('#pay')
      await isSent
      await page.clock.runFor(10_000)
      await assertAsking(page)
      letThrough()
      await page.locator('#alert:not([hidden])').waitFor()
      assert.equal(await isAsking(page), false)
      assert.equal(await page.getByRole('status').last().textContent(), '', 'nothing is paid any more')
      await page.clock.runFor(20_000)
      assert.equal(await isAsking(page), false, 'nobody is asked any more')
      await fillCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
  })

  test('hears of a lost connection and nothing else', async () => {
    await visit(await orderForm(gateway()), async (page) => {
      await page.route('**/PayForm/state**', () => {})
      await page.route('**/PayForm/PF.aspx**', (route) =>
        route.request().method() === 'POST' ? route.fulfill({ status: 204 }) : route.continue(),
      )
      await fillCard(page)
      await page.click('#pay')
      await page.locator('#alert:not([hidden])').waitFor()
      await page.clock.runFor(30_000)
      assert.equal(await isAsking(page), false)
      assert.match(await page.locator('#alert').innerText(), /connection was lost/)
    })
  })

  test('who is back from the bank when the connection is lost can press nothing, then pays', async () => {
    const url = await orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' })
    await visit(url, async (page) => {
      await fillCard(page, cardThatAsks)
      await page.click('#pay')
      await page.locator('#check:not([hidden])').waitFor()
      await page.route('**/PayForm/PF.aspx**', (route) => route.fulfill({ status: 204 }), { times: 1 })
      await confirmIn(bankIn(page))
      await page.locator('#alert').getByText('Do not pay again').waitFor()
      assert.equal(await page.locator('#form').getAttribute('aria-busy'), 'true')
      assert.match(await page.locator('#pay-text').innerText(), /Paying/)
      let sent = 0
      page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0))
      await page.click('#pay')
      assert.equal(sent, 0)
      await keepScreen(page, 'lost-after-the-bank-360')
      await page.clock.resume()
      await page.locator('#alert').getByText('Nothing has arrived here so far.').waitFor()
      await fillCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('is told so after the check by the bank, too', async () => {
    await visit(await orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }), async (page) => {
      await fillCard(page, cardThatAsks)
      await page.click('#pay')
      await page.locator('#check:not([hidden])').waitFor()
      const { isSent, letThrough } = await holdAnswers(page)
      await confirmIn(bankIn(page))
      await isSent
      await page.clock.runFor(10_000)
      await assertAsking(page)
      letThrough()
      await page.locator('.done').waitFor()
    })
  })
})
