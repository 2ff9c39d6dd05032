import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm, registerOrigins } from '../support/form-client.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { type ReadResult, writtenCode } from '../support/written-code.ts'

// A shop on a site of its own, whose page holds a form and writes down what the form tells it.
function useShop(): () => { readonly origin: string; readonly stranger: string; show(url: string): void } {
  let framed = ''
  const shop = createServer(({ url }, answer) => {
    const script = 'addEventListener("message", ({ data, origin }) => told.push({ data, origin }))'
    const frame =
      url === '/beside'
        ? ''
        : `<iframe id="pay-here" src="${framed}" title="Pay" width="360" height="900"></iframe>`
    answer.setHeader('content-type', 'text/html')
    answer.end(`<!doctype html><title>Shop</title><script>var told = []; ${script}</script>${frame}`)
  })
  before(() => new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening)))
  after(() => {
    shop.closeAllConnections()
    shop.close()
  })
  return () => {
    const { port } = shop.address() as AddressInfo
    return {
      origin: `http://localhost:${port}`,
      stranger: `http://127.0.0.1:${port}`,
      show: (url) => {
        framed = url
      },
    }
  }
}

type Told = { readonly data: unknown; readonly origin: string }

describe('a form inside the page of a shop', () => {
  const gateway = useGateway()
  const browser = useBrowser()
  const shop = useShop()

  async function embed(changes: object, options: object, look: (page: Page) => Promise<void>) {
    await registerOrigins(gateway(), [shop().origin])
    const url = await orderForm(gateway(), changes, options)
    shop().show(url)
    await using context = await browser().open({ width: 480, height: 1000 })
    const page = await context.newPage()
    await page.goto(`${shop().origin}/`)
    await look(page)
    return url
  }

  test('pays, tells its height and its result to the registered shop, and shows its receipt', async () => {
    const url = await embed({}, { eSubmission: '0224', eStyles: '020A' }, async (page) => {
      const frame = formIn(page)
      await typeInto(frame)
      assert.equal(await frame.locator('#pay').isVisible(), false, 'the shop has a button of its own')
      await page.evaluate(submitBy('*'))
      await frame.locator('.done').waitFor()
      await keepScreen(page, 'embedded-paid')
      const receipt = frame.frameLocator('.receipt')
      await receipt.getByText('CUSTOMER COPY').waitFor()
      const told = await toldTo(page)
      assert(told.every(({ origin }) => origin === new URL(gateway().baseUrl).origin))
      assert(told.some(({ data }) => /"type":"tillgate:height","height":\d+/.test(JSON.stringify(data))))
      assert(told.some(({ data }) => typeof data === 'string' && /^\?txid=\d+&cid=0$/.test(data)))
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('tells the shop of a decline, and then vector and ciphertext in one text', async () => {
    const readResult = await writtenCode<ReadResult>('readResult')
    const { index: EINDEX, key } = gateway().integratorKey
    const url = await embed({ EINDEX }, { eSubmission: '0228' }, async (page) => {
      const frame = formIn(page)
      await typeInto(frame, '4000000000000002')
      await frame.locator('#pay').click()
      await frame.locator('#alert:not([hidden])').waitFor()
      const title = await frame.locator('#alert b').innerText()
      await page.waitForFunction('told.some(({ data }) => String(data).startsWith("ERROR="))')
      assert.deepEqual(await textsTo(page), [`ERROR=${title}`])
      await typeInto(frame)
      await frame.locator('#pay').click()
      await frame.locator('.done').waitFor()
      await page.waitForFunction('told.filter(({ data }) => typeof data === "string").length > 1')
      const [, text = ''] = await textsTo(page)
      assert.match(text, /^[\w+/]{22}==(?:[\w+/]{4})+[\w+/]{2}[\w+/=]{2}$/)
      assert.partialDeepStrictEqual(readResult(text, key), { CARDNO: '4242', REFID: 'invoice-1042' })
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('tells the consent alone where a card is only saved', async () => {
    await embed({ Amounts: {} }, { eSubmission: '0428' }, async (page) => {
      const frame = formIn(page)
      await typeInto(frame)
      await frame.locator('#f-save').check()
      await frame.locator('#pay').click()
      await frame.locator('.done').waitFor()
      await page.waitForFunction('told.some(({ data }) => typeof data === "string")')
      const [text = ''] = await textsTo(page)
      assert.match(text, /^CID=[1-9]\d*$/)
    })
  })

  test('tells the shop nothing of it without the bit', async () => {
    await embed({}, { eSubmission: '0208' }, async (page) => {
      const frame = formIn(page)
      await typeInto(frame, '4000000000000002')
      await frame.locator('#pay').click()
      await frame.locator('#alert:not([hidden])').waitFor()
      await typeInto(frame)
      await frame.locator('#pay').click()
      await frame.locator('.done').waitFor()
      assert.deepEqual(await textsTo(page), [])
    })
  })

  test('keeps room below its last line where the shop has a button of its own', async () => {
    await embed({}, { eSubmission: '0228', eStyles: '020A' }, async (page) => {
      const card = formIn(page).locator('#form')
      const room: number = await card.evaluate(`{
        const [end, ...ends] = [form, ...form.children].map((one) => one.getBoundingClientRect().bottom)
        end - Math.max(...ends)
      }`)
      assert(room >= 20, `${room} pixels`)
      await card.scrollIntoViewIfNeeded()
      await keepScreen(page, 'embedded-no-buttons')
    })
  })

  test('knows who paid even when the answer is lost', async () => {
    await embed({}, { eSubmission: '0208', eStyles: '000A' }, async (page) => {
      const frame = formIn(page)
      await typeInto(frame)
      await page.route(/PF\.aspx/, async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        // What a browser says of its own.
        const own = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' }
        await route.fetch({ headers: { ...route.request().headers(), ...own } })
        return route.abort()
      })
      await frame.locator('#pay').click()
      await frame.locator('.done').waitFor({ timeout: 15_000 })
    })
  })

  test('asks the bank of the payer inside the shop, too', async () => {
    const url = await embed({ MerchID: 3, WTYPE: 'PA' }, {}, async (page) => {
      const frame = formIn(page)
      await typeInto(frame, '4000000000003220')
      await frame.locator('#pay').click()
      const bank = frame.frameLocator('#bank')
      await bank.locator('.code b').waitFor()
      await sayTo(frame, () => page.evaluate(sayBy('document.querySelector("#pay-here").contentWindow')))
      assert.equal(await frame.locator('#form.busy').count(), 0, 'no second order begins meanwhile')
      await bank.locator('input[name=code]').fill(await bank.locator('.code b').innerText())
      await bank.locator('button[value=confirm]').click()
      await frame.locator('.done').waitFor()
    })
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 1])
  })

  for (const [neighbour, place] of [
    ['of a stranger', 'stranger'],
    ['of the shop itself, but not around the form', 'origin'],
  ] as const) {
    test(`pays nothing for a frame ${neighbour}`, async () => {
      const url = await embed({}, { eStyles: '020A' }, async (page) => {
        const frame = formIn(page)
        await typeInto(frame)
        const address = `${shop()[place]}/beside`
        await page.evaluate(
          `new Promise((loaded) => document.body.append(Object.assign(
            document.createElement('iframe'), { src: '${address}', onload: loaded })))`,
        )
        const beside = page.frames().find((one) => one.url() === address)
        assert(beside)
        await sayTo(frame, () => beside.evaluate(sayBy('parent.frames[0]')))
        assert.equal(await frame.locator('#form.busy').count(), 0)
      })
      assert.equal((await findForm(gateway(), url))['Tries'], 0)
    })
  }

  test('is not shown to anybody who is not registered, and tells them nothing', async () => {
    await registerOrigins(gateway(), [shop().origin])
    const url = await orderForm(gateway(), {}, { eStyles: '020A' })
    shop().show(url)
    await using context = await browser().open({ width: 480, height: 1000 })
    const page = await context.newPage()
    await page.goto(`${shop().stranger}/`)
    await page.evaluate(submitBy('*'))
    assert.deepEqual(await toldTo(page), [])
    assert.equal(await formIn(page).locator('#pay').count(), 0)
    assert.equal((await findForm(gateway(), url))['Tries'], 0)
  })
})

async function toldTo(page: Page): Promise<readonly Told[]> {
  return page.evaluate('told')
}

// Heights are objects.
async function textsTo(page: Page): Promise<readonly string[]> {
  return (await toldTo(page)).map(({ data }) => data).filter((data) => typeof data === 'string')
}

function submitBy(origin: string): string {
  return `document.querySelector('#pay-here').contentWindow.postMessage('tillgate:submit', '${origin}')`
}

// The wish to pay, and behind it a word that shows that the wish was heard.
function sayBy(form: string): string {
  return `['tillgate:submit', 'was it heard?'].forEach((word) => ${form}.postMessage(word, '*'))`
}

async function sayTo(frame: FrameLocator, say: () => Promise<unknown>): Promise<void> {
  const body = frame.locator('body')
  await body.evaluate(`void (window.heard = new Promise((heard) =>
    addEventListener('message', ({ data }) => data === 'was it heard?' && heard())))`)
  await say()
  await body.evaluate('window.heard')
}

function formIn(page: Page): FrameLocator {
  return page.frameLocator('#pay-here')
}

async function typeInto(frame: FrameLocator, number = '4242424242424242'): Promise<void> {
  for (const [name, text] of Object.entries({ number, expiry: '12/30', code: '123', zip: '62701' }))
    await frame.locator(`#f-${name}`).fill(text)
}
