import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm, typeCard } from '../support/form-client.ts'
import { until } from '../support/gateway-process.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const phone = { width: 360, height: 780 }
const isPost = (method: string) => method === 'POST'

describe('a payment whose payer is interrupted', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(look: (page: Page, url: string) => Promise<void>): Promise<string> {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(url)
    await typeCard(page)
    await look(page, url)
    return url
  }

  async function assertPaidOnce(url: string): Promise<void> {
    const { State, Tries, TotalAmt } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries, TotalAmt], ['PAID', 1, 125])
  }

  test('whose answer is lost on the way is found again by the page itself', async () => {
    const url = await visit(async (page) => {
      await page.route('**/PayForm/PF.aspx**', async (route) => {
        if (!isPost(route.request().method())) return route.continue()
        await route.fetch()
        return route.abort('connectionreset')
      })
      // Something else answers for the gateway at first.
      let asked = 0
      await page.route('**/PayForm/state**', (route) =>
        ++asked === 1 ? route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }) : route.continue(),
      )
      await page.click('#pay')
      await page.locator('#alert').getByText('Do not pay again').waitFor()
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  test('who is answered while the gateway stops sees what came of it when it is back', async () => {
    const url = await visit(async (page) => {
      let isAway = false
      await page.route('**/PayForm/**', async (route) => {
        if (isAway) return route.abort('connectionrefused')
        if (!isPost(route.request().method())) return route.continue()
        const response = await route.fetch()
        isAway = response.url().includes('PF.aspx')
        return route.fulfill({ response })
      })
      await page.click('#pay')
      await page.locator('#alert').getByText('Do not pay again').waitFor()
      await page.waitForEvent('requestfailed', (request) => request.url().includes('/PayForm/state'))
      isAway = false
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  // What somebody sees who opens the form while its payer's bank is silent.
  async function lookOnWhilePaying(look: (page: Page, url: string) => Promise<void>): Promise<void> {
    // The simulated bank is silent about this amount for two minutes.
    const url = await orderForm(gateway(), { Amounts: { BaseAmt: 9900.98 } })
    await using paying = await browser().open(phone)
    const payer = await paying.newPage()
    await payer.goto(url)
    await typeCard(payer)
    await payer.click('#pay', { noWaitAfter: true })
    const isPaying = async () => (await findForm(gateway(), url))['State'] === 'PAYING'
    await until(isPaying, { what: 'the payment has begun' })
    await using context = await browser().open(phone)
    await look(await context.newPage(), url)
  }

  test('whose page still asks keeps it while nobody, or only a proxy, answers for the gateway', async () => {
    await lookOnWhilePaying(async (page, url) => {
      await page.goto(url)
      let questions = 0
      await page.route('**/PayForm/PF.aspx**', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
      await page.route('**/PayForm/state**', (route) =>
        ++questions < 3 ? route.abort('connectionrefused') : route.fulfill({ json: { standing: 'paid' } }),
      )
      // A browser that goes on by itself does so after five seconds, and the third question comes later.
      const asked = await page.waitForResponse('**/PayForm/PF.aspx**')
      assert.deepEqual([questions, asked.request().method()], [3, 'HEAD'])
      assert.match(await page.locator('h1').innerText(), /still asking your bank/)
    })
  })

  test('can be looked after by a link where the script of the page did not arrive', async () => {
    await lookOnWhilePaying(async (page, url) => {
      await page.route('**/*', (route) =>
        route.request().resourceType() === 'script' ? route.abort() : route.continue(),
      )
      await page.goto(url)
      await keepScreen(page, 'still-asking')
      const looked = page.waitForRequest((request) => request.isNavigationRequest())
      await page.getByRole('link', { name: 'Check again' }).click()
      assert.equal((await looked).url(), url)
    })
  })

  test('that never left the browser can be made again', async () => {
    const url = await visit(async (page) => {
      let lost = 0
      await page.route('**/PayForm/PF.aspx**', (route) =>
        isPost(route.request().method()) && ++lost === 1 ? route.abort('connectionreset') : route.continue(),
      )
      await page.click('#pay')
      await page.locator('#alert').getByText('Do not pay again').waitFor()
      await page.locator('#alert').getByText('Nothing has arrived here so far.').waitFor()
      assert.equal(await page.evaluate('document.activeElement?.id'), 'alert')
      await keepScreen(page, 'not-paid-360')
      assert.equal(await page.inputValue('#f-number'), '4242 4242 4242 4242')
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  test('that arrives only after the page has said otherwise is told by the page itself', async () => {
    const url = await visit(async (page) => {
      const onItsWay = Promise.withResolvers<Request>()
      await page.route('**/PayForm/PF.aspx**', (route) => {
        if (!isPost(route.request().method())) return route.continue()
        onItsWay.resolve(route.request())
        return route.abort('connectionreset')
      })
      await page.click('#pay')
      await page.locator('#alert').getByText('Nothing has arrived here so far.').waitFor()
      const held = await onItsWay.promise
      const headers = await held.allHeaders()
      const arrived = await page.request.post(held.url(), { data: held.postData() ?? '', headers })
      assert.equal(arrived.status(), 200)
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  test('that never left the browser is typed on whatever somebody else tries meanwhile', async () => {
    await visit(async (page, url) => {
      await page.route('**/PayForm/PF.aspx**', (route) =>
        isPost(route.request().method()) ? route.abort('connectionreset') : route.continue(),
      )
      await page.click('#pay')
      await page.locator('#alert').getByText('Nothing has arrived here so far.').waitFor()
      await page.focus('#f-code')
      await using elsewhere = await browser().open(phone)
      const other = await elsewhere.newPage()
      await other.goto(url)
      await typeCard(other)
      await other.fill('#f-number', '4000000000000002')
      await other.click('#pay')
      await other.locator('#alert').getByText('Your bank did not approve this').waitFor()
      // The page looks again only after it has done with the answer before.
      for (let looks = 0; looks < 2; looks++) await page.waitForRequest('**/PayForm/state**')
      assert.match(await page.innerText('#alert'), /Nothing has arrived here so far/)
      assert.equal(await page.inputValue('#f-code'), '123')
      assert.equal(await page.evaluate('document.activeElement?.id'), 'f-code')
    })
  })

  test('that was declined unheard is told as if it had been heard, and made with another card', async () => {
    const url = await visit(async (page) => {
      const answers: { readonly title: string; readonly text: string }[] = []
      let lost = 0
      await page.route('**/PayForm/PF.aspx**', async (route) => {
        if (!isPost(route.request().method()) || ++lost > 1) return route.continue()
        answers.push(await (await route.fetch()).json())
        return route.abort('connectionreset')
      })
      await page.fill('#f-number', '4000000000000002')
      await page.click('#pay')
      await page.locator('#alert').getByText('Your bank did not approve this').waitFor()
      const [{ title, text } = { title: '', text: '' }] = answers
      assert.deepEqual(await page.locator('#alert :is(b, p)').allInnerTexts(), [title, text])
      assert.equal(await page.inputValue('#f-code'), '', 'as after every decline')
      assert.equal(await page.evaluate('document.activeElement?.id'), 'alert')
      await page.fill('#f-code', '123')
      await page.fill('#f-number', '4242424242424242')
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 2])
  })

  test('that is charged after all when the page has said otherwise is told by the page itself', async () => {
    const url = await visit(async (page) => {
      await page.route('**/PayForm/PF.aspx**', async (route) => {
        if (!isPost(route.request().method())) return route.continue()
        await route.fetch()
        return route.abort('connectionreset')
      })
      // As of a form whose payer's bank is still being asked.
      const before = { standing: 'open', k: 'another', secondsLeft: 3_000, isExtended: false, declined: null }
      let asked = 0
      await page.route('**/PayForm/state**', (route) =>
        ++asked === 1 ? route.fulfill({ json: before }) : route.continue(),
      )
      await page.click('#pay')
      await page.locator('#alert').getByText('Your payment did not go through').waitFor()
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  test('who reloads while it is under way sees what came of it', async () => {
    const url = await visit(async (page) => {
      const { promise: isSent, resolve: sent } = Promise.withResolvers<void>()
      await page.route('**/PayForm/PF.aspx**', async (route) => {
        if (!isPost(route.request().method())) return route.continue()
        await route.fetch()
        sent()
      })
      await page.click('#pay')
      await isSent
      await page.reload()
      await page.locator('.done').waitFor()
    })
    await assertPaidOnce(url)
  })

  test('who goes back afterwards sees that it is paid', async () => {
    const url = await visit(async (page) => {
      await page.click('#pay')
      await page.locator('.done').waitFor()
      await page.goto('about:blank')
      await page.goBack()
      await page.locator('.done').waitFor()
      assert.equal(await page.locator('#pay').count(), 0)
    })
    await assertPaidOnce(url)
  })

  test('in a tab that was left open hears of the other one, and pays nothing', async () => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const [first, second] = [await context.newPage(), await context.newPage()]
    for (const tab of [first, second]) {
      await tab.goto(url)
      await typeCard(tab)
    }
    await first.click('#pay')
    await first.locator('.done').waitFor()
    await second.bringToFront()
    await second.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await second.locator('.done').waitFor()
    await assertPaidOnce(url)
  })

  test('in a window beside the one that paid hears of it as soon as it has the focus', async () => {
    const url = await orderForm(gateway())
    await using context = await browser().open(phone)
    const [paying, beside] = [await context.newPage(), await context.newPage()]
    for (const window of [paying, beside]) await window.goto(url)
    await typeCard(paying)
    await paying.click('#pay')
    await paying.locator('.done').waitFor()
    await beside.evaluate("window.dispatchEvent(new Event('focus'))")
    await beside.locator('.done').waitFor()
  })
})
