import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, fillCard, formScreens, phone } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const creditCard = '4242424242424242'
const debitCard = '4000056655665556'

const languages = [
  {
    locale: 'en-US',
    pay: 'Pay',
    base: '$125.00 before any card fee',
    before: ['Credit card +3%', 'Amount $125.00 Card fee up to 3% Total from $125.00'],
    credit: ['Includes a card fee of $3.75', 'Amount $125.00 Credit card fee 3% $3.75 Total $128.75'],
    debit: ['No fee', 'Amount $125.00 Card fee $0.00 Total $125.00'],
  },
  {
    locale: 'es-MX',
    pay: 'Pagar',
    base: 'USD 125.00 sin el recargo por tarjeta',
    before: ['Crédito +3 %', 'Importe USD 125.00 Recargo por tarjeta hasta 3 % Total desde USD 125.00'],
    credit: [
      'Incluye un recargo de USD 3.75',
      'Importe USD 125.00 Recargo por tarjeta de crédito 3 % USD 3.75 Total USD 128.75',
    ],
    debit: ['Sin recargo', 'Importe USD 125.00 Recargo por tarjeta USD 0.00 Total USD 125.00'],
  },
  {
    locale: 'fr-FR',
    pay: 'Payer',
    base: '125,00 $US hors frais de carte',
    before: ['Crédit +3 %', 'Montant 125,00 $US Frais de carte jusqu’à 3 % Total dès 125,00 $US'],
    credit: [
      'Y compris 3,75 $US de frais de carte',
      'Montant 125,00 $US Frais de carte de crédit 3 % 3,75 $US Total 128,75 $US',
    ],
    debit: ['Sans frais', 'Montant 125,00 $US Frais de carte 0,00 $US Total 125,00 $US'],
  },
] as const

// Intl separates by blanks of its own.
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')

// Where everything stands that could jump.
function places(page: Page): Promise<unknown> {
  return page.evaluate(`scrollTo(0, 0)
  ;['.totals', '.totals dl', '#fee-note', '#pay', '.under', '.foot'].map((one) => {
    const { x, y, width, height } = document.querySelector(one).getBoundingClientRect()
    return [one, x, y, width, height]
  })`)
}

async function assertTold(page: Page, [note, lines]: readonly [string, string]): Promise<void> {
  await page.locator('#fee-note').getByText(note, { exact: true }).waitFor()
  assert.equal(plain(await page.locator('.totals dl').innerText()), lines)
}

describe('the fee of a card, beside the button', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(screen: Screen, locale: string, look: (page: Page) => Promise<void>): Promise<void> {
    await using context = await browser().open(screen, { locale })
    const page = await context.newPage()
    await page.goto(await orderForm(gateway(), { MerchID: 2 }))
    await look(page)
  }

  for (const { locale, pay, base, before, credit, debit } of languages) {
    for (const screen of formScreens) {
      const where = `${screen.width}-${locale}`
      test(`at ${screen.width} pixels in ${locale} it is told, and nothing jumps`, async () => {
        await visit(screen, locale, async (page) => {
          await assertTold(page, before)
          assert.equal(await page.locator('#pay-text').innerText(), pay, 'no sum that is too small')
          assert(plain(await page.locator('.summary').innerText()).endsWith(base), 'the amount is no total')
          await keepScreen(page, `fee-ahead-${where}`)
          const first = await places(page)
          await fillCard(page, creditCard)
          await assertTold(page, credit)
          assert.deepEqual(await places(page), first, 'a credit card moves nothing')
          await keepScreen(page, `fee-note-${where}`)
          await assertUsable(page, where)
          await fillCard(page, debitCard)
          await assertTold(page, debit)
          assert.deepEqual(await places(page), first, 'nor does a debit card')
          await page.fill('#f-number', '')
          await assertTold(page, before)
        })
      })
    }
  }

  test('on a phone it is in sight together with the button, wherever the page is scrolled to', async () => {
    await visit(phone, 'en-US', async (page) => {
      await fillCard(page, creditCard)
      await page.locator('#fee-note', { hasText: '$3.75' }).waitFor()
      for (const top of [0, 200, 10_000]) {
        await page.evaluate(`scrollTo(0, ${top})`)
        const [note, button] = await Promise.all([
          page.locator('#fee-note').boundingBox(),
          page.locator('#pay').boundingBox(),
        ])
        assert(note && button && note.y > 0 && note.y + note.height <= button.y)
        assert(button.y + button.height <= phone.height)
      }
    })
  })

  test('it is asked for again where something else has answered', async () => {
    await visit(phone, 'en-US', async (page) => {
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      const proxy = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }
      await page.route('**/PayForm/fee**', (route) => route.fulfill(proxy), { times: 1 })
      await Promise.all([page.waitForResponse('**/PayForm/fee**'), page.fill('#f-number', creditCard)])
      await page.focus('#f-expiry')
      await page.locator('#fee-note', { hasText: '$3.75' }).waitFor()
      assert.deepEqual(faults, [])
    })
  })

  test('who pays from a bank account is told that there is none', async () => {
    await visit(phone, 'en-US', async (page) => {
      await fillCard(page, creditCard)
      await page.locator('#fee-note', { hasText: '$3.75' }).waitFor()
      await page.locator('#to-bank').click()
      assert.equal(await page.locator('#fee-note').innerText(), 'No fee')
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $125.00')
    })
  })

  test('a record without fees does not speak of them', async () => {
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(await orderForm(gateway()))
    assert.equal(await page.locator('#fee-note, .totals').count(), 0)
  })
})
