import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { mailOf } from '#capabilities/messages/mail.page.ts'
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
