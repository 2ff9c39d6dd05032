import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { findForm, keepScreen, orderForm } from '../support/form-client.ts'
import {
  assertUsable,
  bankIn,
  cardThatAsks,
  codeIn,
  confirmIn,
  fillCard,
  formScreens,
  openPayer,
  phone,
} from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const known = '4000000000003055'
const declining = '4000000000000002'
const silentBank = '4000000000001034'

type RecordTold = Readonly<Record<'Action' | 'Result' | 'Status' | 'Recurring_Token', string>> & {
  readonly Amount: number
}
type Visit = BrowserContextOptions & { readonly screen?: Screen }

describe('a card that is kept for an international record without a payment', () => {
  const gateway = useGateway()
  const browser = useBrowser()
  const order = () =>
    orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' }, { eVisible: 'A020', eSubmission: '0408' })

  async function ask(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const SessKey = await gateway().signIn()
    const { text } = await gateway().post(`/APIcardProcREST/v1.0.0/${path}`, body, { SessKey })
    const [result] = Object.values(JSON.parse(text) as Record<string, Record<string, unknown>>)
    assert(result)
    return result
  }

  async function recordsOf(url: string): Promise<readonly RecordTold[]> {
    const { TransID } = await findForm(gateway(), url)
    const { Transactions } = await ask('Intl/QueryTransaction', { Query: `(F='${String(TransID)}')` })
    return Transactions as readonly RecordTold[]
  }

  async function visit(
    url: string,
    look: (page: Page) => Promise<void>,
    { screen = phone, ...options }: Visit = {},
  ): Promise<void> {
    await using context = await browser().open(screen, options)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.goto(url)
    await look(page)
    assertCalm()
  }

  async function assertKept(url: string): Promise<void> {
    const records = await recordsOf(url)
    const steps = records.map(
      ({ Action, Result, Status, Amount }) => `${Action} ${Result}/${Status} ${Amount}`,
    )
    assert.deepEqual(steps, ['SALE REDIRECT/REDIRECT 0', 'SALE REDIRECT/3DS 0', 'SALE SUCCESS/SETTLED 0'])
    const { State, TotalAmt, ConsentID } = await findForm(gateway(), url)
    assert.deepEqual([State, TotalAmt], ['PAID', 0])
    assert.notEqual(ConsentID, 0)
    const charged = await ask('Intl/ProcPayment', { TokenID: records.at(-1)?.Recurring_Token, ChargeAmt: 5 })
    assert.equal(charged['TxApproved'], true, String(charged['RespMsg']))
  }

  for (const screen of formScreens)
    test(`at ${screen.width} pixels the bank asks, and the card is kept and can be charged`, async () => {
      const url = await order()
      const look = async (page: Page) => {
        await fillCard(page, cardThatAsks)
        await page.check('#f-save')
        await page.click('#pay')
        await codeIn(bankIn(page)).waitFor()
        assert.match(await bankIn(page).locator('body').innerText(), /keeps your card[^]*Nothing is charged/)
        assert.match(await page.locator('#check').innerText(), /Cancel, do not save/)
        await keepScreen(page, `kept-check-${screen.width}`)
        await assertUsable(page, 'the check of a card that is kept')
        await confirmIn(bankIn(page))
        await page.locator('.done').waitFor()
        assert.equal(await page.locator('h1').innerText(), 'Your card is saved')
        await keepScreen(page, `kept-done-${screen.width}`)
      }
      await visit(url, look, { screen })
      await assertKept(url)
    })

  test('a bank that knows its payer asks nothing', async () => {
    const url = await order()
    await visit(url, async (page) => {
      await save(page, known)
      await page.locator('.done').waitFor()
    })
    await assertKept(url)
  })

  test('without JavaScript the bank asks on a page of its own', async () => {
    const url = await order()
    await visit(url, saveWithoutScript, { javaScriptEnabled: false })
    await assertKept(url)
  })

  for (const [what, number, words] of [
    ['declines', declining, /did not approve this[^]*not been charged/],
    ['cannot be asked', silentBank, /could not be reached[^]*Nothing was charged/],
  ] as const)
    test(`a card whose bank ${what} is not kept, and another one can be`, async () => {
      const url = await order()
      await visit(url, async (page) => {
        await save(page, number)
        await page.locator('#alert:not([hidden])').waitFor()
        assert.match(await page.locator('#alert').innerText(), words)
        assert.equal((await findForm(gateway(), url))['ConsentID'], 0)
        await save(page, known)
        await page.locator('.done').waitFor()
      })
      await assertKept(url)
    })

  test('a payer whom the bank does not confirm keeps no card', async () => {
    const url = await order()
    await visit(url, async (page) => {
      await save(page, cardThatAsks)
      await bankIn(page).locator('button[value=cancel]').click()
      await page.locator('#alert:not([hidden])').waitFor()
    })
    const { Result, Status } = (await recordsOf(url)).at(-1) ?? {}
    assert.deepEqual([Result, Status], ['DECLINED', 'DECLINED'])
    assert.equal((await findForm(gateway(), url))['ConsentID'], 0)
  })
})

async function save(page: Page, number: string): Promise<void> {
  await fillCard(page, number)
  await page.check('#f-save')
  await page.click('#pay')
}

async function saveWithoutScript(page: Page): Promise<void> {
  await save(page, cardThatAsks)
  assert.match(await page.locator('#notice').innerText(), /Save a card with/)
  await keepScreen(page, 'kept-check-noscript-360')
  await confirmIn(bankIn(page))
  await bankIn(page).getByText('You are back from your bank').waitFor()
  await page.locator('#bank-form button.pay').click()
  assert.equal(await page.locator('h1').innerText(), 'Your card is saved')
}
