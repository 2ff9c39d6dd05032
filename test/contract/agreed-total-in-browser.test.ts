import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, fillCard, openPayer, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const wordsOf = (page: Page) => page.locator('[data-field=agree] label').innerText()
const isTicked = (page: Page) => page.locator('#f-agree').isChecked()

describe('what a payer agrees to pay is what is charged', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  const order = (options: object = {}) => {
    const masks = { eVisible: '8860', eReadOnly: '00C0', eSubmission: '0208', ...options }
    return orderForm(gateway(), { MerchID: 2, Amounts: { BaseAmt: 100 } }, masks)
  }

  async function visit(
    url: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    await using context = await browser().open(phone, options)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.goto(url)
    await look(page)
    assertCalm()
  }

  const paidFor = async (url: string) => (await findForm(gateway(), url))['TotalAmt']

  test('the words follow the card, and whoever ticked others ticks anew', async () => {
    const url = await order()
    await visit(url, async (page) => {
      assert.equal(await wordsOf(page), 'I agree to pay $100.00 to Corner Books Online')
      await page.check('#f-agree')
      await fillCard(page)
      await page.getByText('I agree to pay $103.00 to Corner Books Online').waitFor()
      assert.equal(await isTicked(page), false)
      assert.match(await page.locator('#e-agree').innerText(), /look at the total once more/)
      await assertUsable(page, 'agreed anew')
      await keepScreen(page, 'agree-360')
      await page.click('#pay')
      assert.match(await page.locator('#e-agree').innerText(), /Tick this to pay/)
      await page.check('#f-agree')
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('h1').innerText(), /Paid \$103\.00/)
    })
    assert.equal(await paidFor(url), 103)
  })

  test('the words name what the payer types, with its fee', async () => {
    const url = await order({ eReadOnly: '0080' })
    await visit(url, async (page) => {
      await page.fill('#f-amount', '')
      assert.equal(await wordsOf(page), 'I agree to pay the amount above to Corner Books Online')
      await page.fill('#f-amount', '200')
      assert.equal(await wordsOf(page), 'I agree to pay $200.00 to Corner Books Online')
      await fillCard(page)
      await page.getByText('I agree to pay $206.00 to Corner Books Online').waitFor()
      await page.check('#f-agree')
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    assert.equal(await paidFor(url), 206)
  })

  test('without JavaScript the last look at the total asks for the tick again', async () => {
    const url = await order()
    const look = async (page: Page) => {
      await fillCard(page)
      await page.check('#f-agree')
      await page.click('#pay')
      assert.equal(await wordsOf(page), 'I agree to pay $103.00 to Corner Books Online')
      assert.equal(await isTicked(page), false)
      await keepScreen(page, 'review-agree-360')
      await page.click('button.pay')
      assert.match(await page.locator('#e-agree').innerText(), /Tick this to pay/)
      assert.equal(await paidFor(url), 0, 'nothing was charged')
      await page.check('#f-agree')
      await page.click('button.pay')
      assert.match(await page.locator('h1').innerText(), /Paid \$103\.00/)
    }
    await visit(url, look, { javaScriptEnabled: false })
    assert.equal(await paidFor(url), 103)
  })

  test('without JavaScript a tick for a total that is no more on the page is gone from it', async () => {
    await visit(await order(), lookAtDecline, { javaScriptEnabled: false })
  })
})

async function lookAtDecline(page: Page): Promise<void> {
  await fillCard(page, '4000000000000002')
  await page.check('#f-agree')
  await page.click('#pay')
  await page.check('#f-agree')
  await page.click('button.pay')
  assert.match(await page.locator('#alert').innerText(), /did not approve/)
  assert.equal(await wordsOf(page), 'I agree to pay $100.00 to Corner Books Online')
  assert.equal(await isTicked(page), false)
}
