import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import {
  assertUsable,
  bankIn,
  cardThatAsks,
  codeIn,
  confirmIn,
  fillBank,
  fillCard,
  formScreens,
  openPayer,
  phone,
} from '../support/form-page.ts'
import { until } from '../support/gateway-process.ts'
import { useGateway } from '../support/in-process-gateway.ts'

// Payers on three screens in three languages, each from the open page to the last one. One browser and one
// gateway serve them all; every state is judged for accessibility and kept as a picture in .cache/screens.

const languages = [
  {
    locale: 'en-US',
    paid: /Paid \$125\.00/,
    ordered: /^Bank payment ordered: \$125\.00$/,
    declined: /did not approve/,
    unknownPayer: /could not confirm it is you/,
    paidAbroad: /Paid €125\.00/,
    saved: 'Your card is saved',
    fee: 'Pay $128.75',
    includes: 'Includes a card fee of $3.75',
    noFee: 'Pay $125.00',
    ends: ['We are still asking', 'paid already', 'There is no such page', 'expired'],
  },
  {
    locale: 'es-MX',
    paid: /Pagado USD.125\.00/,
    ordered: /^Pago bancario ordenado: USD.125\.00$/,
    declined: /no aprobó/,
    unknownPayer: /no pudo confirmar que es usted/,
    paidAbroad: /Pagado EUR.125\.00/,
    saved: 'Su tarjeta está guardada',
    fee: 'Pagar USD 128.75',
    includes: 'Incluye un recargo de USD 3.75',
    noFee: 'Pagar USD 125.00',
    ends: ['preguntando a su banco', 'ya está pagado', 'no existe', 'ha caducado'],
  },
  {
    locale: 'fr-FR',
    paid: /Payé 125,00.\$US/,
    ordered: /^Prélèvement ordonné.: 125,00.\$US$/,
    declined: /n’a pas approuvé/,
    unknownPayer: /n’a pas pu confirmer que c’est vous/,
    paidAbroad: /Payé 125,00.€/,
    saved: 'Votre carte est enregistrée',
    fee: 'Payer 128,75 $US',
    includes: 'Y compris 3,75 $US de frais de carte',
    noFee: 'Payer 125,00 $US',
    ends: ['votre banque', 'déjà payé', 'n’existe pas', 'a expiré'],
  },
] as const
type Language = (typeof languages)[number]

describe('payers on a phone, a tablet and a desk, in English, Spanish and French', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  // A state of the page, looked at.
  type Look = (state: string) => Promise<void>
  type Walk = { readonly page: Page; readonly language: Language; readonly look: Look }

  async function open(page: Page, changes: object, options: object = {}): Promise<string> {
    const url = await orderForm(gateway(), changes, options)
    await page.goto(url)
    return url
  }

  async function payByCard({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, {})
    await look('open')
    await fillCard(page)
    await pay(page)
    assert.match(await page.locator('h1').innerText(), language.paid)
    await look('paid')
    assert.deepEqual((await findForm(gateway(), url))['State'], 'PAID')
  }

  async function payFromBank({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, {})
    await page.locator('#m-bank').check({ force: true })
    await look('bank')
    await fillBank(page)
    await pay(page)
    assert.match(await page.locator('h1').innerText(), language.ordered)
    assert.match(await page.locator('.rows').innerText(), /6789/)
    await look('bank-paid')
    assert.equal((await findForm(gateway(), url))['State'], 'PAID')
  }

  async function saveCard({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, { Amounts: {} }, { eSubmission: '0408' })
    await look('save')
    await fillCard(page)
    await page.click('#pay')
    await page.locator('#e-save:not([hidden])').waitFor()
    await look('save-not-ticked')
    await page.locator('#f-save').check()
    await pay(page)
    assert.equal(await page.locator('h1').innerText(), language.saved)
    await look('saved')
    assert(Number((await findForm(gateway(), url))['ConsentID']) > 0)
  }

  async function payAndSave({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, {}, { eSubmission: '0608' })
    await fillCard(page)
    await page.locator('#f-save').check()
    await look('pay-and-save')
    await pay(page)
    assert.match(await page.locator('h1').innerText(), language.paid)
    assert(Number((await findForm(gateway(), url))['ConsentID']) > 0)
  }

  async function declinedThenPaid({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, {})
    await page.click('#pay')
    await page.locator('#e-number:not([hidden])').waitFor()
    await look('gaps')
    await fillCard(page, '4000000000000002')
    await page.click('#pay')
    await page.locator('#alert:not([hidden])').waitFor()
    assert.match(await page.locator('#alert').innerText(), language.declined)
    assert.equal(await page.inputValue('#f-code'), '', 'the security code is gone')
    await look('declined')
    await fillCard(page)
    await pay(page)
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 2])
  }

  async function feeRefused({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, { MerchID: 2 })
    await fillCard(page)
    const button = page.locator('#pay-text')
    const note = page.locator('#fee-note', { hasText: /3[.,]75/ })
    await note.waitFor()
    assert.equal(plain(await note.innerText()), language.includes)
    assert.equal(plain(await button.innerText()), language.fee)
    await look('fee')
    await page.locator('#to-bank').click()
    assert.equal(plain(await button.innerText()), language.noFee)
    await fillBank(page)
    await pay(page)
    assert.match(await page.locator('h1').innerText(), language.ordered)
    assert.equal((await findForm(gateway(), url))['TotalAmt'], 125)
  }

  async function knownToTheBank({ page, language, look }: Walk): Promise<void> {
    const url = await open(page, { MerchID: 3, WTYPE: 'PA' })
    await fillCard(page, cardThatAsks)
    await page.click('#pay')
    await codeIn(bankIn(page)).waitFor()
    await look('check')
    await bankIn(page).locator('button[value=cancel]').click()
    await page.locator('#alert:not([hidden])').waitFor()
    assert.match(await page.locator('#alert').innerText(), language.unknownPayer)
    await look('check-failed')
    await fillCard(page, cardThatAsks)
    await page.click('#pay')
    await confirmIn(bankIn(page))
    await page.locator('.done').waitFor()
    assert.match(await page.locator('h1').innerText(), language.paidAbroad)
    await look('check-paid')
    const { State, Tries } = await findForm(gateway(), url)
    assert.deepEqual([State, Tries], ['PAID', 2])
  }

  const walks = [payByCard, payFromBank, saveCard, payAndSave, declinedThenPaid, feeRefused, knownToTheBank]

  for (const language of languages) {
    for (const screen of formScreens) {
      const where = `${screen.width}-${language.locale}`
      test(`at ${screen.width} pixels in ${language.locale} every way to pay works, for all`, async () => {
        await using context = await browser().open(screen, { locale: language.locale })
        const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
        const look: Look = async (state) => {
          await keepScreen(page, `${state}-${where}`)
          await assertUsable(page, `${state} at ${where}`)
        }
        for (const walk of walks) await walk({ page, language, look })
        assertCalm()
      })
    }
  }

  test('the calm pages, for what cannot be paid, can be used by all', async () => {
    const [asking, used, late] = [
      await orderForm(gateway(), { Amounts: { BaseAmt: 9900.98 } }),
      await orderForm(gateway()),
      await orderForm(gateway()),
    ]
    await using paying = await browser().open({ width: 768, height: 900 })
    const payer = await paying.newPage()
    await payer.goto(used)
    await fillCard(payer)
    await pay(payer)
    await payer.goto(asking)
    await fillCard(payer)
    // The simulated bank is silent about this amount for two minutes.
    await payer.click('#pay', { noWaitAfter: true })
    const isPaying = async () => (await findForm(gateway(), asking))['State'] === 'PAYING'
    await until(isPaying, { what: 'the payment has begun' })
    await advanceClock('PT61M')
    const pages = [asking, used, `${used.split('?')[0]}?s=${'0'.repeat(32)}`, late]
    for (const { locale, ends } of languages) {
      await using context = await browser().open(phone, { locale })
      const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
      for (const [at, url] of pages.entries()) {
        await page.goto(url)
        assert.match(await page.locator('h1').innerText(), new RegExp(ends[at] ?? 'nothing'))
        for (const screen of formScreens) {
          await page.setViewportSize(screen)
          const where = `${['asking', 'used', 'unknown', 'expired'][at]}-${screen.width}-${locale}`
          await keepScreen(page, where)
          await assertUsable(page, where)
        }
      }
      assertCalm()
    }
  })

  async function advanceClock(advance: string): Promise<void> {
    const SessKey = await gateway().signIn()
    const answer = await gateway().post('/sandbox/clock', { advance }, { SessKey })
    assert.equal(answer.status, 200, answer.text)
  }
})

async function pay(page: Page): Promise<void> {
  await page.click('#pay')
  await page.locator('.done').waitFor()
}

// Intl separates by blanks of its own.
function plain(text: string): string {
  return text.replaceAll(/\s/g, ' ')
}
