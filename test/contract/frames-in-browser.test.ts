import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { screens, useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { bankIn, cardThatAsks, codeIn, fillCard, openPayer } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

type Heights = { readonly needed: number; readonly shown: number }

async function assertWhole(t: TestContext, page: Page, frame: string): Promise<void> {
  const inside = await (await page.locator(frame).elementHandle())?.contentFrame()
  assert(inside)
  const measure = '({ needed: document.documentElement.scrollHeight, shown: innerHeight })'
  const look = async () => {
    const { needed, shown } = await inside.evaluate<Heights>(measure)
    assert(needed <= shown, `${needed} pixels are needed and ${shown} shown`)
  }
  await t.waitFor(look, { timeout: 30_000 })
}

describe('what stands in a frame of a form is shown whole', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  const narrow = ['a small phone', { width: 320, height: 640 }] as const
  for (const [device, screen] of [...screens, narrow]) {
    for (const javaScriptEnabled of [true, false]) {
      const where = `on ${device}${javaScriptEnabled ? '' : ' without JavaScript'}`
      const name = `${screen.width}${javaScriptEnabled ? '' : '-without-script'}`

      for (const [what, eSubmission] of [
        ['both receipts', '0202'],
        ["the customer's receipt", '0204'],
      ] as const) {
        test(`${what}, ${where}`, async (t) => {
          await using context = await browser().open(screen, { javaScriptEnabled })
          const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
          await page.goto(await orderForm(gateway(), {}, { eSubmission }))
          await fillCard(page)
          await page.click('#pay')
          await page.frameLocator('.receipt').locator('footer').last().waitFor()
          await assertWhole(t, page, '.receipt')
          await keepScreen(page, `receipt-${eSubmission}-${name}`)
          assertCalm()
        })
      }

      test(`the page of the payer's bank, ${where}`, async (t) => {
        await using context = await browser().open(screen, { javaScriptEnabled })
        const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
        await page.goto(await orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }))
        await fillCard(page, cardThatAsks)
        await page.click('#pay')
        await codeIn(bankIn(page)).waitFor()
        await assertWhole(t, page, '#bank')
        await keepScreen(page, `bank-${name}`)
        assertCalm()
      })
    }
  }

  test('the page of a bank that has more to say grows with it', async (t) => {
    const [[, screen]] = screens
    await using context = await browser().open(screen)
    const { page } = await openPayer(context, gateway().baseUrl)
    await page.goto(await orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }))
    await fillCard(page, cardThatAsks)
    await page.click('#pay')
    await bankIn(page).locator('input[name=code]').fill('000000')
    await bankIn(page).locator('button[value=confirm]').click()
    await bankIn(page).locator('.problem').waitFor()
    await assertWhole(t, page, '#bank')
  })
})
