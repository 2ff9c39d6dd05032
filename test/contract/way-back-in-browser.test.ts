import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { fillCard, phone } from '../support/form-page.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'

const shop = 'https://shop.example/thanks'
const orders = {
  form: (gateway: TestGateway) => orderForm(gateway, { RedirectURL: shop }, { eSubmission: '0201' }),
  link: (gateway: TestGateway) => sendLink(gateway, { RedirectURL: shop }),
}
const visits = [
  ['form', 'with script'],
  ['form', 'without script'],
  ['link', 'with script'],
  ['link', 'without script'],
] as const

const refreshes = (page: Page) => page.locator('meta[http-equiv=refresh]').count()

describe('a payer who is taken back to the shop', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  for (const [what, how] of visits)
    test(`from a ${what}, ${how}, and presses Back there, stays with the way on in sight`, async () => {
      const url = await orders[what](gateway())
      await using context = await browser().open(phone, { javaScriptEnabled: how === 'with script' })
      await context.route(`${shop}**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><h1>Thank you</h1>' }),
      )
      const page = await context.newPage()
      await page.goto(url)
      await fillCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.equal(await refreshes(page), 1, 'the first time it goes by itself')
      await page.waitForURL(`${shop}**`)
      await page.goBack()
      await page.locator('.done').waitFor()
      assert.equal(await refreshes(page), 0)
      assert.match(String(await page.locator('.done .pay').getAttribute('href')), /^https:\/\/shop\.example/)
      await keepScreen(page, `back-from-the-shop-${what}-${how.replace(' ', '-')}`)
    })
})
