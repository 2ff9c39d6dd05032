import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { count } from '../support/counts.ts'
import { findForm, keepScreen, orderForm, typeCard } from '../support/form-client.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const screens: readonly Screen[] = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
]
const languages: readonly [locale: string, paid: RegExp, declined: RegExp][] = [
  ['en-US', /Paid \$125\.00/, /did not approve/],
  ['es-MX', /Pagado USD.125\.00/, /no aprobó/],
  ['fr-FR', /Payé 125,00.\$US/, /n’a pas approuvé/],
]
const phone = { width: 360, height: 780 }
const isFull = count({ full: 9, usual: 3 }) === 9

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

  for (const [row, screen] of screens.entries()) {
    for (const [column, [locale, paid, declined]] of languages.entries()) {
      // Usually every screen and every language once; each with each among the large counts.
      if (row !== column && !isFull) continue
      const where = `${screen.width} pixels in ${locale}`
      test(`at ${where} a declined card is told calmly, and the next one pays`, async () => {
        const url = await orderForm(gateway())
        await visit(url, { screen, locale }, async ({ page }) => {
          await keepScreen(page, `open-${screen.width}-${locale}`)
          await assertAccessible(page)
          await page.click('#pay')
          await page.locator('#e-number:not([hidden])').waitFor()
          await keepScreen(page, `gaps-${screen.width}-${locale}`)
          await assertAccessible(page)
          await typeCard(page, '4000000000000002')
          await page.click('#pay')
          await page.locator('#alert:not([hidden])').waitFor()
          assert.match(await page.locator('#alert').innerText(), declined)
          assert.equal(await page.inputValue('#f-code'), '', 'the security code is gone')
          assert.equal(await page.inputValue('#f-number'), '4000 0000 0000 0002')
          await keepScreen(page, `declined-${screen.width}-${locale}`)
          await assertAccessible(page)
          await typeCard(page)
          await page.click('#pay')
          await page.locator('.done').waitFor()
          assert.match(await page.locator('h1').innerText(), paid)
          await keepScreen(page, `paid-${screen.width}-${locale}`)
          await assertAccessible(page)
          assert.equal(await widthOf(page), screen.width, 'nobody has to scroll sideways')
        })
        const { State, Tries } = await findForm(gateway(), url)
        assert.deepEqual([State, Tries], ['PAID', 2])
      })
    }
  }

  test('dark colours are accessible too, with the fee as soon as the card is known', async () => {
    const url = await orderForm(gateway(), { MerchID: 2 }, { eSubmission: '0608' })
    await visit(url, { screen: phone, colorScheme: 'dark' }, async ({ page }) => {
      await typeCard(page)
      await page.locator('#fee-lines:not([hidden])').waitFor()
      assert.equal(await page.locator('#fee-total').innerText(), '$128.75')
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $128.75')
      await keepScreen(page, 'fee-dark-360')
      await assertAccessible(page)
      await page.locator('#to-bank').click()
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $125.00', 'the fee was refused')
      await keepScreen(page, 'bank-dark-360')
      await assertAccessible(page)
      await page.fill('#f-routing', '110000000')
      await page.fill('#f-account', '000123456789')
      await page.fill('#f-zip', '62701')
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('.rows').innerText(), /Bank account ending 6789/)
    })
  })

  test('a card is saved while paying, after the payer has ticked so', async () => {
    const url = await orderForm(gateway(), {}, { eSubmission: '0608' })
    await visit(url, { screen: phone }, async ({ page }) => {
      await typeCard(page)
      await page.locator('#f-save').check()
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    assert(Number((await findForm(gateway(), url))['ConsentID']) > 0)
  })

  test('a card is saved without paying', async () => {
    const url = await orderForm(gateway(), { Amounts: {} }, { eSubmission: '0408' })
    await visit(url, { screen: phone }, async ({ page }) => {
      await typeCard(page)
      await page.click('#pay')
      await page.locator('#e-save:not([hidden])').waitFor()
      await page.locator('#f-save').check()
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.equal(await page.locator('h1').innerText(), 'Your card is saved')
    })
  })

  test('the keyboard alone suffices', async () => {
    const url = await orderForm(gateway())
    await visit(url, { screen: phone }, async ({ page }) => {
      const typed = { number: '4242424242424242', expiry: '12/30', code: '123', zip: '62701' }
      for (const [name, text] of Object.entries(typed)) {
        await tabTo(page, `f-${name}`)
        await page.keyboard.type(text)
      }
      await tabTo(page, 'pay')
      await page.keyboard.press('Enter')
      await page.locator('.done').waitFor()
    })
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
      assert.match(await page.locator('.rows').innerText(), /\$3\.75[^]*\$128\.75/)
      await keepScreen(page, 'review-without-script-360')
      assert.doesNotMatch(await page.content(), /4242/)
      await page.click('button.pay')
      assert.match(await page.locator('h1').innerText(), /Paid \$128\.75/)
    })
  })

  test('a policy holds: nothing that was put into the page from outside runs', async () => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(url)
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

async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    if ((await page.evaluate('document.activeElement?.id')) === id) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the keyboard does not reach ${id}`)
}

async function widthOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth')
}

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate('axe.run()')
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(told, [])
}
