import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import {
  assertUsable,
  bankIn,
  cardThatAsks,
  confirmIn,
  fillCard,
  formScreens,
  openPayer,
  phone,
} from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

type Visit = BrowserContextOptions & { readonly screen?: Screen }

const monthly = { NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY', ServiceDescrip: 'Membership' }
const endless = { NumPayments: -1, TotalAmount: 20, Period: 'WEEKLY' }
const declining = '4000000000000002'
const known = '4000000000003055'

// Far enough ahead for whatever day this runs on.
const later = Temporal.Now.plainDateISO('UTC').add({ days: 20 })

describe('a form by which a payer agrees to regular payments, in a browser', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  const order = (Subscription: object, changes: object = {}) =>
    orderForm(
      gateway(),
      { Amounts: {}, Subscription, ...changes },
      { eVisible: 'E063', eReadOnly: '0003', eSubmission: '0208', eFeatures: '0001' },
    )

  async function visit(
    url: string,
    look: (page: Page) => Promise<void>,
    { screen = phone, ...options }: Visit = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    await using context = await browser().open(screen, options)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.goto(url)
    await look(page)
    assertCalm()
    return findForm(gateway(), url)
  }

  for (const screen of formScreens)
    test(`at ${screen.width} pixels the plan is agreed to, and its first payment is charged`, async () => {
      const look = async (page: Page) => {
        const shown = await page.locator('.summary').innerText()
        assert.match(shown, /Regular payments to Corner Books\s+\$33\.33\s+Membership\s+\$33\.33 every month/)
        assert.match(
          shown,
          /3 payments, the last one \$33\.34, \$100\.00 in all\s+First payment now, last on/,
        )
        await keepScreen(page, `plan-${screen.width}`)
        await fillCard(page)
        await page.click('#pay')
        await page.locator('#e-save').getByText('Tick this to agree').waitFor()
        await page.locator('details summary').last().click()
        const full = await page.locator('.saving details').innerText()
        assert.match(full, /charge it \$33\.33 every month: 3 payments, .*, the first now, the last on/)
        await page.check('#f-save')
        await assertUsable(page, 'a form with a plan')
        await keepScreen(page, `plan-agreed-${screen.width}`)
        assert.equal(await page.locator('#pay-text').innerText(), 'Pay $33.33')
        await page.click('#pay')
        await page.locator('.done').waitFor()
        assert.equal(await page.locator('h1').innerText(), 'Paid $33.33')
        assert.match(
          await page.locator('main').innerText(),
          /every month: 3 payments, the last one \$33\.34, \$100\.00 in all\. The next time/,
        )
        await keepScreen(page, `plan-done-${screen.width}`)
        await assertUsable(page, 'a plan that was made')
      }
      const { State, TotalAmt, ConsentID } = await visit(await order(monthly), look, { screen })
      assert.deepEqual([State, TotalAmt], ['PAID', 33.33])
      assert.notEqual(ConsentID, 0)
    })

  test('one that begins later charges nothing now', async () => {
    const url = await order({ ...endless, StartDate: later.toString() })
    const { State, TotalAmt } = await visit(url, async (page) => {
      const shown = await page.locator('.summary').innerText()
      assert.match(shown, /\$20\.00 every week\s+Until you end it\s+First payment on/)
      assert.equal(await page.locator('#pay-text').innerText(), 'Start payments')
      await keepScreen(page, 'plan-later-360')
      await agree(page, known)
      await page.locator('.done').waitFor()
      assert.equal(await page.locator('h1').innerText(), 'Your payments are set up')
      assert.match(await page.locator('main').innerText(), /\$20\.00 every week, the next time on/)
      await keepScreen(page, 'plan-later-done-360')
    })
    assert.deepEqual([State, TotalAmt], ['PAID', 0])
  })

  test('a card that is declined makes no plan, and another one does', async () => {
    const { ConsentID } = await visit(await order(endless), async (page) => {
      await agree(page, declining)
      await page.locator('#alert:not([hidden])').waitFor()
      assert.match(await page.locator('#alert').innerText(), /did not approve/)
      await agree(page, known)
      await page.locator('.done').waitFor()
    })
    assert.notEqual(ConsentID, 0)
  })

  for (const [locale, words] of [
    ['es-MX', /Pagos periódicos a[^]*cada semana[^]*Hasta que usted lo termine\s+Primer pago ahora/],
    ['fr-FR', /Paiements réguliers à[^]*chaque semaine[^]*mettiez fin\s+Premier paiement maintenant/],
  ] as const)
    test(`without JavaScript, in ${locale}, the plan is agreed to as well`, async () => {
      const { State } = await visit(
        await order(endless),
        async (page) => {
          assert.match(await page.locator('.summary').innerText(), words)
          await agree(page, known)
          await page.locator('.done').waitFor()
        },
        { locale, javaScriptEnabled: false },
      )
      assert.equal(State, 'PAID')
    })

  test('the bank of an international payer is asked first', async () => {
    const url = await order(endless, { MerchID: 3, WTYPE: 'PA' })
    const { State, TotalAmt } = await visit(url, async (page) => {
      await agree(page, cardThatAsks)
      await confirmIn(bankIn(page))
      await page.locator('.done').waitFor()
      assert.equal(await page.locator('h1').innerText(), 'Paid €20.00')
    })
    assert.deepEqual([State, TotalAmt], ['PAID', 20])
  })

  test('a record with fees and bank accounts offers neither, because a plan has none', async () => {
    await visit(await order(endless, { MerchID: 2 }), async (page) => {
      assert.equal(await page.locator('#fee-note, .totals, #m-bank').count(), 0)
      await agree(page, '4242424242424242')
      await page.locator('.done').waitFor()
      assert.equal(await page.locator('h1').innerText(), 'Paid $20.00')
    })
  })
})

async function agree(page: Page, number: string): Promise<void> {
  await fillCard(page, number)
  await page.check('#f-save')
  await page.click('#pay')
}
