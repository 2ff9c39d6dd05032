import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { fillCard } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const screens: readonly Screen[] = [
  { width: 320, height: 568 },
  { width: 360, height: 740 },
]
// All that can be asked for, with fees.
const fullest = [
  { MerchID: 2, Payer: {} },
  { eVisible: 'FFFF', eReadOnly: '0000' },
] as const
const savesOnly = [{ Amounts: {} }, { eVisible: 'B020', eSubmission: '0408' }] as const
// Each in its turn is the first that is missing.
const mended = {
  number: '4242424242424242',
  expiry: '12/30',
  code: '123',
  firstName: 'Ada',
  lastName: 'Miller',
  street: '1 Main Street',
  zip: '62701',
}

type Seen = { readonly id: string; readonly bottom: number; readonly bar: number; readonly isInBar: boolean }

// What has the focus, with what is told below it, and where the bar begins that could cover it.
function focused(page: Page): Promise<Seen> {
  return page.evaluate(`(() => {
    const bar = document.querySelector('.bar')
    const one = document.activeElement
    const parts = [one, document.querySelector('#e-' + one.id.slice(2))].filter(Boolean)
    const bottom = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom))
    const at = one.id || one.textContent
    return { id: at, bottom, bar: bar.getBoundingClientRect().top, isInBar: bar.contains(one) }
  })()`)
}

describe('the pay bar of a phone', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(
    screen: Screen,
    [changes, options]: readonly [object, object],
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    await using context = await browser().open(screen)
    const page = await context.newPage()
    await page.goto(await orderForm(gateway(), changes, options))
    await look(page)
  }

  for (const screen of screens) {
    const where = `${screen.width}x${screen.height}`
    test(`at ${where} never covers the field that the keyboard is in`, async () => {
      await visit(screen, fullest, async (page) => {
        const seen: string[] = []
        for (let presses = 0; presses < 30 && !seen.includes('pay'); presses += 1) {
          await page.keyboard.press('Tab')
          const { id, bottom, bar, isInBar } = await focused(page)
          seen.push(id)
          assert(isInBar || bottom <= bar, `${id} ends at ${bottom}, the bar begins at ${bar}`)
        }
        for (const id of ['f-number', 'f-firstName', 'f-street', 'f-save', 'f-agree', 'pay'])
          assert(seen.includes(id), id)
      })
    })

    test(`at ${where} leaves the first thing to fix in sight, with what is wrong with it`, async () => {
      await visit(screen, fullest, async (page) => {
        for (const [name, text] of Object.entries(mended)) {
          await page.evaluate('scrollTo(0, 0)')
          await page.click('#pay')
          const { id, bottom, bar } = await focused(page)
          assert.equal(id, `f-${name}`)
          assert(bottom <= bar, `${id} and its error end at ${bottom}, the bar begins at ${bar}`)
          await page.fill(`#${id}`, text)
        }
        await page.evaluate('scrollTo(0, 0)')
        await page.click('#pay')
        const { id, bottom, bar } = await focused(page)
        assert.equal(id, 'f-agree')
        assert(bottom <= bar, `the tick and its error end at ${bottom}, the bar begins at ${bar}`)
        await keepScreen(page, `focus-${where}`)
      })
    })

    test(`at ${where} leaves who is to agree what there is to agree to`, async () => {
      await visit(screen, savesOnly, async (page) => {
        await fillCard(page)
        await page.click('#pay')
        assert.equal(await page.locator('#e-save').innerText(), 'Tick this to save your card.')
        const { id, bottom, bar } = await focused(page)
        assert.equal(id, 'f-save')
        assert(bottom <= bar, `the tick and its error end at ${bottom}, the bar begins at ${bar}`)
        await keepScreen(page, `agree-to-save-${where}`)
        assert.equal(
          await page.getByText(/^For what you owe them, until .* Cancel any time\.$/).isVisible(),
          true,
        )
      })
    })
  }
})
