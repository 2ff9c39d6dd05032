import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core'
import type { Screen } from './browser.ts'

export const formScreens: readonly Screen[] = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
]
export const [phone = { width: 360, height: 780 }] = formScreens

export type Payer = {
  readonly page: Page
  // Nothing was wrong with what the page did: no error, no breach of policy, no other host.
  readonly assertCalm: () => void
}

export async function openPayer(context: BrowserContext, baseUrl: string): Promise<Payer> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isPlanned = /status of (?:404|410|422)/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isPlanned) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith('data:') && new URL(url).origin !== baseUrl) complaints.push(`asked ${url}`)
  })
  return { page, assertCalm: () => assert.deepEqual(complaints, []) }
}

// Says so itself when there is something that assistive technology cannot use, or sideways scrolling.
export async function assertUsable(page: Page, where: string): Promise<void> {
  const { scroll, view } = await page.evaluate<{ scroll: number; view: number }>(
    '({ scroll: document.documentElement.scrollWidth, view: innerWidth })',
  )
  assert.equal(scroll, view, `${where}: nobody has to scroll sideways`)
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate('axe.run({ resultTypes: ["violations"] })')
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(told, [], where)
}

// With the keyboard alone, as somebody without a mouse.
export async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if ((await page.evaluate('document.activeElement?.id')) === id) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the keyboard does not reach ${id}`)
}

export async function fillCard(page: Page, number = '4242424242424242'): Promise<void> {
  const typed = { number, expiry: '12/30', code: '123' }
  for (const [name, text] of Object.entries(typed)) await page.fill(`#f-${name}`, text)
  await fillWhereAsked(page, { zip: '62701' })
}

export async function fillBank(page: Page): Promise<void> {
  await page.fill('#f-routing', '110000000')
  await page.fill('#f-account', '000123456789')
  await fillWhereAsked(page, { zip: '62701', holder: 'Ada Miller' })
}

async function fillWhereAsked(page: Page, typed: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(typed)) {
    const field = page.locator(`#f-${name}`)
    if (await field.isVisible()) await field.fill(text)
  }
}

// A published test number whose bank asks its payers.
export const cardThatAsks = '4000000000003220'

// The page of the payer's bank, inside ours.
export function bankIn(page: Page): FrameLocator {
  return page.frameLocator('#bank')
}

// The sandbox shows the code that a real bank would send to a phone.
export function codeIn(bank: FrameLocator): Locator {
  return bank.locator('.code b')
}

export async function confirmIn(bank: FrameLocator): Promise<void> {
  const code = await codeIn(bank).innerText()
  await bank.locator('input[name=code]').fill(code)
  await bank.locator('button[value=confirm]').click()
}
