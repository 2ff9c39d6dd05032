import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, bankIn, cardThatAsks, codeIn, fillCard, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const chooseBank = (page: Page) => page.locator('#m-bank').check({ force: true })

describe('what the form says and offers, by the way to pay that is chosen', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(look: (page: Page) => Promise<void>, changes: object = {}): Promise<string> {
    await using context = await browser().open(phone)
    const page = await context.newPage()
    const url = await orderForm(gateway(), changes)
    await page.goto(url)
    await look(page)
    return url
  }

  test('a test card is filled in and seen also by who has chosen the bank account', async () => {
    const url = await visit(async (page) => {
      await chooseBank(page)
      await page.click('.tests summary')
      await page.getByRole('button', { name: '4242, approved' }).click()
      assert.equal(await page.locator('#f-number').isVisible(), true)
      assert.equal(await page.inputValue('#f-number'), '4242 4242 4242 4242')
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('.rows').innerText(), /Visa ending 4242/)
    })
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  })

  test('a test account is filled in and pays, whatever was chosen before', async () => {
    for (const choose of [chooseBank, async () => {}]) {
      await visit(async (page) => {
        await choose(page)
        await page.click('.tests summary')
        await keepScreen(page, 'test-numbers-360')
        await assertUsable(page, 'test numbers')
        await page.getByRole('button', { name: '6789, bank account' }).click()
        assert.equal(await page.inputValue('#f-routing'), '110000000')
        await page.click('#pay')
        await page.locator('.done').waitFor()
        assert.match(await page.locator('.rows').innerText(), /Bank account ending 6789/)
      })
    }
  })

  test('a record that takes cards alone offers no test account', async () => {
    await visit(
      async (page) => {
        await page.click('.tests summary')
        assert.match(await page.locator('.tests').innerText(), /^Fill in a test card\n[^]*the bank asks$/)
        assert.equal(await page.locator('[data-account]').count(), 0)
      },
      { MerchID: 3, WTYPE: 'PA' },
    )
  })

  test('a card that has expired is told when, by the page and by the server', async () => {
    const sentence = 'This card expired 03/24; use another.'
    await visit(async (page) => {
      await fillCard(page)
      await page.fill('#f-expiry', '324')
      await page.focus('#f-code')
      assert.equal(await page.locator('#e-expiry').innerText(), sentence)
    })
    await using context = await browser().open(phone, { javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(await orderForm(gateway()))
    await fillCard(page)
    await page.fill('#f-expiry', '3-2024')
    await page.click('#pay')
    assert.equal(await page.locator('#e-expiry').innerText(), sentence)
  })

  test('who leaves the routing number out is told where to find it', async () => {
    const sentence = 'Type the 9 digits at the bottom left of a check.'
    for (const javaScriptEnabled of [true, false]) {
      await using context = await browser().open(phone, { javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(await orderForm(gateway()))
      await chooseBank(page)
      await page.click('#pay')
      assert.equal(await page.locator('#e-routing').innerText(), sentence)
    }
  })

  test('a card that could not be saved leaves the button as it was', async () => {
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(await orderForm(gateway(), { Amounts: {} }, { eSubmission: '0408' }))
    await fillCard(page, '4000000000000002')
    await page.locator('#f-save').check()
    await page.click('#pay')
    await page.locator('#alert:not([hidden])').waitFor()
    assert.equal(await page.locator('#pay-text').innerText(), 'Save card')
  })

  test('what staff never see is named by the way to pay', async () => {
    await visit(async (page) => {
      const promise = page.locator('.safe:visible')
      assert.deepEqual(await promise.allInnerTexts(), ['Staff never see your card number.'])
      await chooseBank(page)
      assert.deepEqual(await promise.allInnerTexts(), ['Staff never see your account number.'])
    })
  })

  test('while the bank asks, one button cancels the payment', async () => {
    await visit(
      async (page) => {
        await fillCard(page, cardThatAsks)
        await page.click('#pay')
        await codeIn(bankIn(page)).waitFor()
        const cancel = { name: 'Cancel, do not pay' }
        assert.equal(await page.getByRole('button', cancel).count(), 1)
        assert.equal(await bankIn(page).getByRole('button', cancel).count(), 0)
        assert.equal(await bankIn(page).getByRole('button', { name: 'No, this is not me' }).count(), 1)
      },
      { MerchID: 3, WTYPE: 'PA' },
    )
  })
})
