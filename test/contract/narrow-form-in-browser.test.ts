import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { mailOf } from '#capabilities/messages/mail.page.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'
import { useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, fillCard } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

type Place = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>
type Row = {
  // How much of the number does not fit into its box.
  readonly clipped: number
  readonly label: Place
  readonly box: Place
  readonly logos: Place
}

// The number of the card with what stands around it.
function numberRow(page: Page): Promise<Row> {
  return page.evaluate(`(() => {
    const place = (one) => one.getBoundingClientRect().toJSON()
    const box = document.querySelector('#f-number')
    const words = document.createRange()
    words.selectNodeContents(document.querySelector('label[for=f-number]'))
    return {
      clipped: box.scrollWidth - box.clientWidth,
      label: place(words),
      box: place(box),
      logos: place(document.querySelector('.logos')),
    }
  })()`)
}

const overlap = (one: Place, other: Place): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

// Whether any of these breaks in the middle of a word: as many lines as words are enough.
function brokenWords(page: Page, labels: string): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('${labels}')].filter((one) => {
    const words = document.createRange()
    words.selectNodeContents(one)
    const lines = new Set([...words.getClientRects()].map(({ top }) => top)).size
    return lines > one.textContent.trim().split(/\\s+/).length
  }).map((one) => one.textContent)`)
}

// Whether any of these takes more than one line.
function brokenLines(page: Page, places: string): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('${places}')].filter((one) => {
    const words = document.createRange()
    words.selectNodeContents(one)
    return new Set([...words.getClientRects()].map(({ top }) => top)).size > 1
  }).map((one) => one.textContent)`)
}

describe('a form on narrow screens', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(
    width: number,
    { locale = 'en-US', order = {}, options = {} },
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    await using context = await browser().open({ width, height: 740 }, { locale })
    const page = await context.newPage()
    await page.goto(await orderForm(gateway(), { MerchID: 2, ...order }, options))
    await look(page)
  }

  for (const width of [320, 360, 480, 1280])
    for (const eStyles of ['000A', '0001'])
      test(`at ${width} pixels, style ${eStyles}: the number is seen whole, no logo over it`, async () => {
        for (const locale of ['en-US', 'es-MX', 'fr-FR'])
          await visit(width, { locale, options: { eVisible: 'FFFF', eStyles } }, async (page) => {
            await fillCard(page)
            const { clipped, label, box, logos } = await numberRow(page)
            assert.equal(clipped, 0)
            for (const other of [label, box]) assert(!overlap(logos, other), `${locale}: covered`)
            assert.equal(label.bottom > box.top, eStyles === '0001' && width >= 480, 'labels left')
            await page.fill('#f-number', '6205500000000000000')
            assert.equal(await page.inputValue('#f-number'), '6205 5000 0000 0000 000')
            assert.equal((await numberRow(page)).clipped, 0, `${locale}: 19 digits`)
            await keepScreen(page, `narrow-${width}-${locale}-${eStyles}`)
          })
      })

  test('labels beside long values break between words alone', async () => {
    const reference = 'R'.repeat(50)
    const Payer = { Firstname: 'W'.repeat(40), Lastname: 'Miller' }
    const options = { eVisible: 'A0E3', eReadOnly: '00C3' }
    await visit(320, { order: { REF_ID: reference, Payer }, options }, async (page) => {
      assert.deepEqual(await brokenWords(page, '.fixed span'), [])
      await fillCard(page)
      await page.locator('#fee-note', { hasText: '$3.75' }).waitFor()
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.deepEqual(await brokenWords(page, '.rows dt'), [])
      await assertUsable(page, 'paid with a long reference')
      await keepScreen(page, 'long-reference-320')
    })
  })

  for (const width of [320, 1280])
    test(`at ${width} pixels a large sum stands in one line`, async () => {
      for (const locale of ['en-US', 'es-ES', 'fr-FR'])
        for (const BaseAmt of [9_500.55, 95_000.55])
          await visit(width, { locale, order: { Amounts: { BaseAmt } } }, async (page) => {
            assert.deepEqual(await brokenLines(page, '.sum'), [], `${BaseAmt} in ${locale}`)
            await keepScreen(page, `large-sum-${width}-${locale}-${BaseAmt}`)
          })
    })

  for (const locale of ['en-US', 'es-ES', 'fr-FR'])
    test(`what was paid, when and with what stands in one line each on a phone, in ${locale}`, async () => {
      await visit(360, { locale, order: { MerchID: 1 } }, async (page) => {
        await fillCard(page)
        await page.click('#pay')
        await page.locator('.done').waitFor()
        assert.deepEqual(await brokenLines(page, '.rows dd'), [])
      })
    })

  test('a receipt inside the page of a phone breaks no word', async () => {
    const rows = [
      { label: 'Account holder', value: 'Ada Miller' },
      { label: 'Entry method', value: 'Bank transfer (ACH)' },
      { label: 'Total', value: '$125.00 USD' },
    ]
    const merchant = { name: 'Corner Books', location: 'Main Street', address: '' }
    const receipt = { title: 'Bank debit', outcome: 'APPROVED', merchant, rows }
    await using context = await browser().open({ width: 286, height: 740 })
    const page = await context.newPage()
    for (const language of ['en', 'es', 'fr'] as const) {
      await page.setContent(
        receiptPage({ ...receipt, total: '$125.00', isSandbox: true }, ['customer'], tongueFor(language, '')),
      )
      assert.deepEqual(await brokenWords(page, 'dt, dd'), [], language)
      assert.deepEqual(await brokenLines(page, '.sum'), [], language)
      await keepScreen(page, `receipt-286-${language}`)
    }
  })

  test('and in mails, too', async () => {
    const facts = [{ label: 'Your reference', value: 'R'.repeat(50) }]
    const letter = { merchantName: 'Corner Books', title: 'Receipt', amount: '$1.00', facts }
    const rest = { paragraphs: [], button: null, footer: [], isSandbox: true }
    await using context = await browser().open({ width: 320, height: 740 })
    const page = await context.newPage()
    await page.setContent(mailOf({ ...letter, ...rest }).html)
    assert.deepEqual(await brokenWords(page, 'td.muted.line'), [])
    await keepScreen(page, 'long-reference-mail-320')
  })
})
