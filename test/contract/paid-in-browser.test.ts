import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { orderForm } from '../support/form-client.ts'
import { bankIn, cardThatAsks, confirmIn, fillBank, fillCard, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'

type Way = {
  readonly order: () => Promise<string>
  readonly pay: (page: Page) => Promise<void>
  readonly options?: BrowserContextOptions
}

async function payByCard(page: Page): Promise<void> {
  await fillCard(page)
  await page.click('#pay')
}

async function payFromBank(page: Page): Promise<void> {
  await page.locator('#m-bank').check()
  await fillBank(page)
  await page.click('#pay')
}

async function payAsAsked(page: Page): Promise<void> {
  await fillCard(page, cardThatAsks)
  await page.click('#pay')
  await confirmIn(bankIn(page))
}

async function payAfterDecline(page: Page): Promise<void> {
  await fillCard(page, '4000000000000002')
  await page.click('#pay')
  await page.locator('#alert:not([hidden])').waitFor()
  await payByCard(page)
}

describe('whoever has paid in a browser', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  const ways: Readonly<Record<string, Way>> = {
    'by card, after a decline': { order: () => orderForm(gateway()), pay: payAfterDecline },
    'without script': {
      order: () => orderForm(gateway()),
      pay: payByCard,
      options: { javaScriptEnabled: false },
    },
    'from a bank account': { order: () => orderForm(gateway()), pay: payFromBank },
    'after the bank has asked': {
      order: () => orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }),
      pay: payAsAsked,
    },
    'behind a link': { order: () => sendLink(gateway()), pay: payByCard },
    'behind a link for many': { order: () => sendLink(gateway(), { SingleUse: 0 }), pay: payByCard },
  }

  for (const [how, { order, pay, options = {} }] of Object.entries(ways)) {
    test(`${how} sees it, also in another language and after a reload, and no error is noted`, async () => {
      await using context = await browser().open(phone, options)
      const page = await context.newPage()
      const noted: string[] = []
      page.on('pageerror', (error) => noted.push(error.message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) noted.push(message.text())
      })
      await page.goto(await order())
      await pay(page)
      await page.locator('.done').waitFor()
      await page.reload()
      assert.match(await page.locator('h1').innerText(), /^Paid/)
      await page.click('.foot a[lang=fr]')
      await page.locator('h1', { hasText: 'Payé' }).waitFor()
      assert.deepEqual(noted, [])
    })
  }

  test('finds no form to pay once more by the back button', async () => {
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(`${gateway().baseUrl}/docs/errors`)
    await page.goto(await orderForm(gateway()))
    await payByCard(page)
    await page.locator('.done').waitFor()
    await page.goBack()
    assert.match(page.url(), /docs\/errors$/)
  })

  test('shows nobody else what was paid by passing on the address that stands there then', async () => {
    for (const order of [() => orderForm(gateway()), () => sendLink(gateway())]) {
      await using context = await browser().open(phone)
      const page = await context.newPage()
      const url = await order()
      await page.goto(url)
      await payByCard(page)
      await page.locator('.done').waitFor()
      await using stranger = await browser().open(phone)
      const theirs = await stranger.newPage()
      assert.equal((await theirs.goto(page.url()))?.status(), 410)
      assert.equal(theirs.url(), url)
      assert.match(await theirs.locator('h1').innerText(), /paid already/)
      assert.doesNotMatch(await theirs.content(), /4242|Approval/)
    }
  })

  test('and whoever has not paid yet is led from there to the form', async () => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const page = await context.newPage()
    const answer = await page.goto(url.replace('PF.aspx', 'outcome'))
    assert.equal(answer?.status(), 200)
    assert.equal(page.url(), url)
    await page.locator('#pay').waitFor()
  })
})
