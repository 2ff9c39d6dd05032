import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm, typeCard } from '../support/form-client.ts'
import { bankIn, cardThatAsks, codeIn, confirmIn } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const screens = [
  { width: 360, height: 780 },
  { width: 1280, height: 900 },
]

describe('the form of an international record in a browser', () => {
  const gateway = useGateway()
  const browser = useBrowser()
  const order = (options = {}) => orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }, options)

  // The records of the newest order, as the merchant's own system finds them.
  async function recordsOf(url: string): Promise<readonly string[]> {
    const SessKey = await gateway().signIn()
    const { TransID } = await findForm(gateway(), url)
    const { text } = await gateway().post(
      '/APIcardProcREST/v1.0.0/Intl/QueryTransaction',
      { Query: `(F='${String(TransID)}')` },
      { SessKey },
    )
    type Told = { Intl_QueryTransactionResult: { Transactions: { Result: string; Status: string }[] } }
    const [result] = Object.values(JSON.parse(text) as Told)
    return result?.Transactions.map(({ Result, Status }) => `${Result}/${Status}`) ?? []
  }

  async function visit(url: string, look: (page: Page) => Promise<void>, options = {}): Promise<void> {
    await using context = await browser().open(screens[0] ?? { width: 360, height: 780 }, options)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      const isPlanned = /status of (?:410|422)/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isPlanned) complaints.push(message.text())
    })
    await page.goto(url)
    await look(page)
    assert.deepEqual(complaints, [], 'no error, no breach of policy')
  }

  for (const screen of screens) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const where = `at ${screen.width} pixels, ${colorScheme}`
      test(`${where}, the bank asks inside our page and the payer pays`, async () => {
        const url = await order()
        const look = async (page: Page) => {
          await typeCard(page, cardThatAsks)
          await page.click('#pay')
          await page.locator('#check:not([hidden])').waitFor()
          await codeIn(bankIn(page)).waitFor()
          await keepScreen(page, `check-${screen.width}-${colorScheme}`)
          await assertAccessible(page)
          assert.equal(await page.locator('#form').isVisible(), false)
          await confirmIn(bankIn(page))
          await page.locator('.done').waitFor()
          await keepScreen(page, `check-paid-${screen.width}-${colorScheme}`)
          assert.match(await page.locator('h1').innerText(), /Paid €125\.00/)
        }
        await visit(url, look, { viewport: screen, colorScheme })
        assert.deepEqual(await recordsOf(url), ['REDIRECT/REDIRECT', 'REDIRECT/3DS', 'SUCCESS/SETTLED'])
        const { State, Tries } = await findForm(gateway(), url)
        assert.deepEqual([State, Tries], ['PAID', 1])
      })
    }
  }

  for (const [locale, refused, paid] of [
    ['es', /no pudo confirmar/, /Pagado/],
    ['fr', /n’a pas pu confirmer/, /Payé/],
  ] as const) {
    test(`at 768 pixels, in ${locale}, the bank refuses, then confirms`, async () => {
      const url = await order()
      const look = async (page: Page) => {
        await typeCard(page, cardThatAsks)
        await page.click('#pay')
        await bankIn(page).locator('button[value=cancel]').click()
        await page.locator('#alert:not([hidden])').waitFor()
        assert.match(await page.locator('#alert').innerText(), refused)
        await keepScreen(page, `check-failed-768-${locale}`)
        await assertAccessible(page)
        await typeCard(page, cardThatAsks)
        await page.click('#pay')
        await codeIn(bankIn(page)).waitFor()
        await assertAccessible(page)
        await confirmIn(bankIn(page))
        await page.locator('.done').waitFor()
        assert.match(await page.locator('h1').innerText(), paid)
        await keepScreen(page, `check-paid-768-${locale}`)
        await assertAccessible(page)
      }
      await visit(url, look, { viewport: { width: 768, height: 1024 }, locale })
      assert.equal((await findForm(gateway(), url))['State'], 'PAID')
    })
  }

  test('a payer whom the bank does not know is told calmly, and pays with another card', async () => {
    const url = await order()
    await visit(url, async (page) => {
      await typeCard(page, cardThatAsks)
      await page.click('#pay')
      await bankIn(page).locator('button[value=cancel]').click()
      await page.locator('#alert:not([hidden])').waitFor()
      assert.match(await page.locator('#alert').innerText(), /could not confirm it is you/)
      assert.equal(await page.inputValue('#f-number'), '4000 0000 0000 3220', 'the number stays')
      assert.equal(await page.inputValue('#f-code'), '', 'the security code is gone')
      await keepScreen(page, 'check-failed-360')
      assert.deepEqual(await recordsOf(url), ['REDIRECT/REDIRECT', 'REDIRECT/3DS', 'DECLINED/DECLINED'])
      await page.reload()
      assert.match(
        await page.locator('#alert').innerText(),
        /could not confirm it is you/,
        'a reload says so',
      )
      await typeCard(page, '4000000000003055')
      await page.click('#pay')
      await page.locator('.done').waitFor()
    })
  })

  test('whoever cancels beside the page of the bank, or reloads, can begin anew', async () => {
    const url = await order()
    await visit(url, async (page) => {
      await typeCard(page, cardThatAsks)
      await page.click('#pay')
      await page.locator('#check button[name=leave]').click()
      await page.locator('#alert:not([hidden])').waitFor()
      assert.match(await page.locator('#alert').innerText(), /was not finished[^]*Nothing was charged/)
      await typeCard(page, cardThatAsks)
      await page.click('#pay')
      await page.locator('#check:not([hidden])').waitFor()
      await page.reload()
      assert.match(await page.locator('#alert').innerText(), /was not finished/)
      await typeCard(page, cardThatAsks)
      await page.click('#pay')
      await confirmIn(bankIn(page))
      await page.locator('.done').waitFor()
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('without JavaScript the bank asks on a page of its own', async () => {
    const url = await order()
    await visit(url, payWithoutScript, { javaScriptEnabled: false })
    assert.deepEqual(await recordsOf(url), ['REDIRECT/REDIRECT', 'REDIRECT/3DS', 'SUCCESS/SETTLED'])
  })
})

async function payWithoutScript(page: Page): Promise<void> {
  for (const [name, text] of Object.entries({
    number: cardThatAsks,
    expiry: '12/30',
    code: '123',
    zip: '62701',
  }))
    await page.fill(`#f-${name}`, text)
  await page.click('#pay')
  await page.click('.check button.pay')
  assert.match(await page.locator('#bank-again').innerText(), /no answer from you yet/)
  await keepScreen(page, 'check-without-script-360')
  await confirmIn(bankIn(page))
  await bankIn(page).getByText('You are back from your bank').waitFor()
  await page.click('.check button.pay')
  assert.match(await page.locator('h1').innerText(), /Paid €125\.00/)
}

// A picture ends what still fades in, which could not be read yet; so one is taken before.
async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate('axe.run()')
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(told, [])
}
