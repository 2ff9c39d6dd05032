import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, fillCard, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

// City, state and ZIP.
const place = [{}, { eVisible: 'A038', eReadOnly: '0000', eSubmission: '0208' }] as const
const desk: Screen = { width: 1366, height: 768 }

const labelOf = async (page: Page, name: string): Promise<string> =>
  (await page.locator(`label[for=f-${name}]`).innerText()).replaceAll(/\s+/g, ' ')

describe('the country on the form', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(options: object, look: (page: Page, url: string) => Promise<void>, screen = phone) {
    await using context = await browser().open(screen, options)
    const page = await context.newPage()
    const url = await orderForm(gateway(), ...place)
    await page.goto(url)
    await look(page, url)
  }

  for (const [locale, germany, labels] of [
    ['en-US', 'Germany', ['ZIP code', 'Postal code', 'Postcode']],
    ['es-MX', 'Alemania', ['Código ZIP', 'Código postal', 'Código postal']],
    ['fr-FR', 'Allemagne', ['Code ZIP', 'Code postal', 'Code postal']],
  ] as const) {
    test(`says what a postal code is called, in ${locale}`, async () => {
      await visit({ locale }, async (page) => {
        assert.equal(await page.inputValue('#f-country'), 'US', 'where the merchant is')
        assert.equal(await page.locator('#f-country option[value=DE]').innerText(), germany)
        for (const [at, country] of ['US', 'CA', 'GB'].entries()) {
          await page.selectOption('#f-country', country)
          assert.equal(await labelOf(page, 'zip'), labels[at])
        }
        await keepScreen(page, `country-${locale}`)
        await assertUsable(page, locale)
      })
    })
  }

  test('brings its states, or a field for a region, and none where there are no postal codes', async () => {
    await visit({}, async (page) => {
      const states = () => page.locator('#f-state option').allInnerTexts()
      assert.equal((await states()).length, 55)
      await page.selectOption('#f-country', 'CA')
      assert.match(await labelOf(page, 'state'), /^Province optional$/)
      assert.equal((await states()).length, 14)
      await page.selectOption('#f-country', 'AU')
      assert((await states()).includes('New South Wales'))
      await page.selectOption('#f-country', 'FR')
      assert.deepEqual(
        [await page.isVisible('#f-state'), await page.isVisible('#f-region'), await page.isVisible('#f-zip')],
        [false, true, true],
      )
      await page.selectOption('#f-country', 'HK')
      assert.equal(await page.isVisible('#f-zip'), false)
      await keepScreen(page, 'country-without-postal-codes')
      await assertUsable(page, 'HK')
    })
  })

  test('judges the postal code at once, as the server does', async () => {
    await visit({}, async (page, url) => {
      await fillCard(page)
      await page.fill('#f-zip', '12345')
      await page.selectOption('#f-country', 'CA')
      assert.equal(await page.locator('#e-zip').innerText(), 'As on your card statement, like K1A 0B1.')
      await keepScreen(page, 'country-wrong-code-360')
      await page.click('#pay')
      assert.equal(await page.evaluate('document.activeElement.id'), 'f-zip')
      await page.fill('#f-zip', 'k1a 0b1')
      assert.equal(await page.isVisible('#e-zip'), false)
      await page.selectOption('#f-state', 'ON')
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.equal((await findForm(gateway(), url))['State'], 'PAID')
    })
  })

  test('without JavaScript hides what it does not have, and pays', async () => {
    await visit(
      { javaScriptEnabled: false },
      async (page) => {
        await fillCard(page)
        await page.selectOption('#f-country', 'CA')
        await page.click('#pay')
        assert.equal(await page.inputValue('#f-country'), 'CA')
        assert.equal(await labelOf(page, 'zip'), 'Postal code')
        assert.match(await page.locator('#e-zip').innerText(), /like K1A 0B1/)
        await page.selectOption('#f-state', 'IL')
        await page.fill('#f-zip', 'K1A 0B1')
        await fillCard(page)
        await page.fill('#f-zip', 'K1A 0B1')
        await page.click('#pay')
        assert.equal(await page.locator('#e-state').innerText(), 'Choose a state of that country.')
        await keepScreen(page, 'country-without-script')
        await page.selectOption('#f-country', 'HK')
        assert.equal(await page.isVisible('#f-zip'), false)
        await fillCard(page)
        await page.click('#pay')
        assert.match(await page.locator('h1').innerText(), /Paid \$125\.00/)
      },
      desk,
    )
  })
})
