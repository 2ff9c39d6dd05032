import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, fillCard, formScreens, openPayer, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const creditCard = '4242424242424242'
const debitCard = '4000056655665556'
const linesOf = async (page: Page) => (await page.locator('.totals dl').innerText()).replaceAll(/\s+/g, ' ')

describe('a fee that the merchant asks for, on the page', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  const order = (changes: object = {}, options: object = {}) => {
    const Amounts = { BaseAmt: 20, Surcharge: 0.2, TotalAmt: 20.2 }
    return orderForm(gateway(), { MerchID: 2, Amounts, ...changes }, options)
  }

  async function visit(
    url: string,
    pay: (page: Page) => Promise<void>,
    { screen = phone, ...options }: BrowserContextOptions & { readonly screen?: Screen } = {},
  ): Promise<unknown> {
    await using context = await browser().open(screen, options)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.goto(url)
    await pay(page)
    assertCalm()
    return (await findForm(gateway(), url))['TotalAmt']
  }

  for (const screen of formScreens)
    test(`at ${screen.width} pixels it is announced, quoted, agreed to and charged`, async () => {
      const url = await order({}, { eVisible: '8860', eReadOnly: '00C0' })
      const pay = async (page: Page) => {
        assert.equal(await linesOf(page), 'Amount $20.00 Card fee up to $0.20 Total from $20.00')
        assert.equal(await page.locator('#fee-note').innerText(), 'Credit card +$0.20')
        await keepScreen(page, `asked-fee-ahead-${screen.width}`)
        await fillCard(page, creditCard)
        await page.getByText('I agree to pay $20.20 to Corner Books Online').waitFor()
        assert.equal(await linesOf(page), 'Amount $20.00 Card fee $0.20 Total $20.20')
        assert.equal(await page.locator('#pay-text').innerText(), 'Pay $20.20')
        await assertUsable(page, 'a fee that was asked for')
        await keepScreen(page, `asked-fee-${screen.width}`)
        await page.check('#f-agree')
        await page.click('#pay')
        await page.locator('.done').waitFor()
        assert.match(await page.locator('main').innerText(), /Card fee\s+\$0\.20/)
      }
      assert.equal(await visit(url, pay, { screen }), 20.2)
    })

  test('a debit card costs nothing all the same', async () => {
    assert.equal(await visit(await order(), payByDebitCard), 20)
  })

  test('it is clamped by the amount that the payer types', async () => {
    const url = await order({}, { eVisible: 'A060', eReadOnly: '0000' })
    assert.equal(await visit(url, payFiveDollars), 5.15)
  })

  test('without JavaScript the last look names it before anything is charged', async () => {
    assert.equal(await visit(await order(), payAfterReview, { javaScriptEnabled: false }), 20.2)
  })
})

async function payByDebitCard(page: Page): Promise<void> {
  await fillCard(page, debitCard)
  await page.getByText('Pay $20.00', { exact: true }).waitFor()
  assert.equal(await linesOf(page), 'Amount $20.00 Card fee $0.00 Total $20.00')
  await page.click('#pay')
  await page.locator('.done').waitFor()
}

async function payFiveDollars(page: Page): Promise<void> {
  await page.fill('#f-amount', '5')
  await fillCard(page, creditCard)
  await page.getByText('Pay $5.15', { exact: true }).waitFor()
  await page.click('#pay')
  await page.locator('.done').waitFor()
}

async function payAfterReview(page: Page): Promise<void> {
  await fillCard(page, creditCard)
  await page.click('#pay')
  assert.match(await page.locator('main').innerText(), /\$0\.20[^]*\$20\.20/)
  await keepScreen(page, 'asked-fee-review-360')
  await page.click('button.pay')
  assert.match(await page.locator('h1').innerText(), /Paid \$20\.20/)
}
