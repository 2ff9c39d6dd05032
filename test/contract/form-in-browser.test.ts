import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm, typeCard } from '../support/form-client.ts'
import { assertUsable, fillBank, phone, tabTo } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

describe('the hosted form in a browser', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  type Visit = { readonly page: Page; readonly requests: string[]; readonly complaints: string[] }
  async function visit(
    url: string,
    options: BrowserContextOptions & { readonly screen: Screen },
    look: (visit: Visit) => Promise<void>,
  ): Promise<void> {
    const { screen, ...rest } = options
    await using context = await browser().open(screen, rest)
    const page = await context.newPage()
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      const isPlanned = /status of (?:410|422)/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isPlanned) complaints.push(message.text())
    })
    await page.goto(url)
    await look({ page, requests, complaints })
    assert.deepEqual(complaints, [], 'no error, no breach of policy')
    const foreign = requests.filter(
      (one) => new URL(one).origin !== gateway().baseUrl && !one.startsWith('data:'),
    )
    assert.deepEqual(foreign, [], 'no other host is asked')
  }

  // On every screen and in every language: test/journeys/form-in-browser.test.ts.
  test('a declined card is told calmly, and the next one pays', async () => {
    const url = await orderForm(gateway())
    await visit(url, { screen: phone }, async ({ page }) => {
      await typeCard(page, '4000000000000002')
      await page.click('#pay')
      await page.locator('#alert:not([hidden])').waitFor()
      assert.match(await page.locator('#alert').innerText(), /did not approve/)
      assert.equal(await page.inputValue('#f-code'), '', 'the security code is gone')
      assert.equal(await page.inputValue('#f-number'), '4000 0000 0000 0002')
      await typeCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('h1').innerText(), /Paid \$125\.00/)
    })
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 2])
  })

  test('a page that another tab has made old says so, and pays by the next press', async () => {
    const url = await orderForm(gateway())
    await visit(url, { screen: phone }, async ({ page }) => {
      await typeCard(page)
      await visit(url, { screen: phone }, async ({ page: other }) => {
        await typeCard(other, '4000000000000002')
        await other.click('#pay')
        await other.locator('#alert:not([hidden])').waitFor()
      })
      await page.click('#pay')
      await page.locator('#alert:not([hidden])').waitFor()
      assert.match(await page.locator('#alert').innerText(), /press once more[^]*Nothing was charged/)
      assert.equal(await page.inputValue('#f-number'), '4242 4242 4242 4242')
      await keepScreen(page, 'outdated-360')
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('dark colours are accessible too, with the fee as soon as the card is known', async () => {
    const url = await orderForm(gateway(), { MerchID: 2 }, { eSubmission: '0608' })
    await visit(url, { screen: phone, colorScheme: 'dark' }, async ({ page }) => {
      await typeCard(page)
      await page.locator('#fee-note', { hasText: 'Includes a card fee of $3.75' }).waitFor()
      assert.equal(await page.locator('#fee-label').innerText(), 'Credit card fee 3%')
      assert.equal(await page.locator('#fee-total').innerText(), '$128.75')
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $128.75')
      await keepScreen(page, 'fee-dark-360')
      await assertUsable(page, 'fee')
      await page.locator('#to-bank').click()
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $125.00', 'the fee was refused')
      await keepScreen(page, 'bank-dark-360')
      await assertUsable(page, 'bank')
      await fillBank(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('.rows').innerText(), /Bank account ending 6789/)
    })
  })

  test('the keyboard alone suffices, for a card and for a bank account', async () => {
    const ways: readonly Readonly<Record<string, string>>[] = [
      { number: '4242424242424242', expiry: '12/30', code: '123', zip: '62701' },
      { routing: '110000000', account: '000123456789', zip: '62701' },
    ]
    for (const typed of ways) {
      await visit(await orderForm(gateway()), { screen: phone }, async ({ page }) => {
        if ('routing' in typed) {
          await tabTo(page, 'm-card')
          await page.keyboard.press('ArrowRight')
        }
        for (const [name, text] of Object.entries(typed)) {
          await tabTo(page, `f-${name}`)
          await page.keyboard.type(text)
        }
        await tabTo(page, 'pay')
        await page.keyboard.press('Enter')
        await page.locator('.done').waitFor()
        await assertUsable(page, 'paid')
      })
    }
  })

  test('typing in the middle of a number keeps the caret there', async () => {
    const url = await orderForm(gateway())
    await visit(url, { screen: phone }, async ({ page }) => {
      await page.locator('#f-number').pressSequentially('4242-4242')
      assert.equal(await page.inputValue('#f-number'), '4242 4242')
      await page.evaluate("document.querySelector('#f-number').setSelectionRange(2, 2)")
      await page.keyboard.type('9')
      assert.equal(await page.inputValue('#f-number'), '4292 4242'.replace('4292 4242', '4294 2424 2'))
      assert.equal(await page.evaluate("document.querySelector('#f-number').selectionStart"), 3)
    })
  })

  test('two tabs, two buttons, one charge', async () => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const tabs = await Promise.all([context.newPage(), context.newPage()])
    for (const tab of tabs) {
      await tab.goto(url)
      await typeCard(tab)
    }
    await Promise.all(tabs.map((tab) => tab.evaluate("document.querySelector('#pay').click()")))
    for (const tab of tabs) await tab.locator('.done, .notice').first().waitFor()
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 1])
  })

  test('whoever opens the address later sees that it is paid, and no receipt', async () => {
    const url = await orderForm(gateway())
    await visit(url, { screen: phone }, async ({ page }) => {
      await typeCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
      const receipt = await page.locator('.actions a').getAttribute('href')
      assert.equal((await page.goto(gateway().baseUrl + String(receipt)))?.status(), 200)
      assert.match(await page.locator('body').innerText(), /CUSTOMER COPY/)
    })
    await visit(url, { screen: phone }, async ({ page }) => {
      await keepScreen(page, 'already-360')
      assert.match(await page.locator('h1').innerText(), /paid already/)
      assert.doesNotMatch(await page.content(), /4242|Approval/)
    })
  })

  test('without JavaScript a card pays, after a last look at the fee', async () => {
    const url = await orderForm(gateway(), { MerchID: 2 })
    await visit(url, { screen: phone, javaScriptEnabled: false }, async ({ page }) => {
      await page.fill('#f-number', '4242 4242 4242 4241')
      await page.click('#pay')
      assert.match(await page.locator('#e-number').innerText(), /One digit looks wrong/)
      assert.equal(await page.inputValue('#f-number'), '', 'a page never carries a card number')
      for (const [name, text] of [
        ['number', '4242 4242 4242 4242'],
        ['expiry', '12/30'],
        ['code', '123'],
        ['zip', '62701'],
      ])
        await page.fill(`#f-${name}`, String(text))
      await page.click('#pay')
      assert.match(await page.locator('.rows').innerText(), /Credit card fee 3%\s+\$3\.75[^]*\$128\.75/)
      await keepScreen(page, 'review-without-script-360')
      assert.doesNotMatch(await page.content(), /4242/)
      await page.click('button.pay')
      assert.match(await page.locator('h1').innerText(), /Paid \$128\.75/)
      assert.match(await page.locator('.rows').innerText(), /Credit card fee 3%\s+\$3\.75/)
    })
  })

  test('a policy holds: what was put into the page from outside runs not, and is reported', async (t) => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const page = await context.newPage()
    const told: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/PayForm/policy-report')) told.push(String(request.postData()))
    })
    await page.goto(url)
    await page.evaluate(`
      window.reports = []
      document.addEventListener('securitypolicyviolation', (one) => reports.push(one.effectiveDirective))`)
    // Later, because a debugger's own words are free of the policy.
    await page.evaluate(`new Promise((done) => {
      window.ran = []
      const makers = [
        () => {
          const script = document.createElement('script')
          script.textContent = 'ran.push(1)'
          document.body.append(script)
        },
        () => { document.body.innerHTML += '<img src=x onerror="ran.push(2)">' },
        () => { eval('ran.push(3)') },
        () => { setTimeout('ran.push(4)') },
        () => { const a = document.createElement('a'); a.href = 'javascript:ran.push(5)'; a.click() },
      ]
      for (const make of makers) setTimeout(() => { try { make() } catch {} })
      setTimeout(done, 200)
    })`)
    assert.deepEqual(await page.evaluate('window.ran'), [])
    const reports = new Set(await page.evaluate<string[]>('window.reports'))
    assert.deepEqual(reports, new Set(['script-src-elem', 'require-trusted-types-for']))
    const isTold = () => told.some((one) => one.includes('script-src-elem'))
    await t.waitFor(() => assert(isTold(), 'the gateway is told'), { timeout: 30_000 })
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
  })

  test('it can be framed by nobody who is not registered', async () => {
    const url = await orderForm(gateway())
    const shop = createServer((_, answer) =>
      answer.setHeader('content-type', 'text/html').end(`<iframe src="${url}" title="Pay"></iframe>`),
    )
    await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`)
    const frame = page.frames().find((one) => one !== page.mainFrame())
    assert.equal(await frame?.locator('#pay').count(), 0)
    shop.closeAllConnections()
    shop.close()
  })
})
