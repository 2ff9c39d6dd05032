import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const screens: readonly Screen[] = [
  { width: 360, height: 640 },
  { width: 360, height: 740 },
  { width: 1280, height: 900 },
]
// The words are as long without script, so there one language tells.
const ways = [
  { javaScriptEnabled: true, locales: ['en-US', 'es-MX', 'fr-FR'] },
  { javaScriptEnabled: false, locales: ['en-US'] },
] as const

type Sight = {
  // How far the page is scrolled where some of the button can be seen, and the words end below its top.
  readonly hidden: readonly number[]
  // Where the button has just come into sight as a whole, how much of the words' beginning is out of it.
  readonly cut: number
}

// What whoever scrolls from the top of the page to its end sees of the words and of the button.
function sightOf(page: Page, words: string): Promise<Sight> {
  return page.evaluate(`(() => {
    const place = (one) => document.querySelector(one).getBoundingClientRect()
    const hidden = []
    let cut = null
    const end = document.documentElement.scrollHeight - innerHeight
    for (let at = 0; at <= end; at += 4) {
      scrollTo({ top: at, behavior: 'instant' })
      const [button, told] = [place('#pay'), place('${words}')]
      if (button.top < innerHeight && told.bottom > button.top) hidden.push(at)
      if (button.bottom <= innerHeight) cut ??= Math.max(0, -told.top)
    }
    return { hidden, cut: cut ?? 0 }
  })()`)
}

type Agreement = {
  readonly name: string
  readonly order: readonly [object, object]
  // What is chosen or ticked, and what is agreed to by it.
  readonly choose: string
  readonly words: string
}

const agreements: readonly Agreement[] = [
  {
    name: 'the authorization of a bank debit',
    order: [{ MerchID: 1 }, { eVisible: '8040', eReadOnly: '00C0', eSubmission: '0208' }],
    choose: '#m-bank',
    words: '#bank-words',
  },
  {
    name: 'what keeping a card allows',
    order: [{ MerchID: 1 }, { eSubmission: '0608' }],
    choose: '#f-save',
    words: '.saving .help',
  },
  {
    name: 'what keeping a card allows where nothing is paid',
    order: [{ Amounts: {} }, { eSubmission: '0408' }],
    choose: '#f-save',
    words: '.saving .help',
  },
  {
    name: 'the sum that is agreed to',
    order: [
      { MerchID: 2, Payer: {} },
      { eVisible: 'FFFF', eReadOnly: '0000' },
    ],
    choose: '#f-agree',
    words: '[data-field=agree] label',
  },
]

describe('who comes to the button has before their eyes', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  for (const { name, order, choose, words } of agreements)
    for (const screen of screens) {
      const where = `${screen.width}x${screen.height}`
      test(`${name}, at ${where}, in each language, and without script`, async () => {
        for (const { javaScriptEnabled, locales } of ways)
          for (const locale of locales) {
            await using context = await browser().open(screen, { locale, javaScriptEnabled })
            const page = await context.newPage()
            await page.goto(await orderForm(gateway(), ...order))
            await page.locator(choose).check({ force: true })
            const how = `${locale}, ${javaScriptEnabled ? 'with' : 'without'} script`
            assert.deepEqual(await sightOf(page, words), { hidden: [], cut: 0 }, how)
            await page.locator('#pay').scrollIntoViewIfNeeded()
            if (!javaScriptEnabled) continue
            await keepScreen(page, `${name.replaceAll(' ', '-')}-${where}-${locale}`)
            await assertUsable(page, how)
          }
      })
    }
})
