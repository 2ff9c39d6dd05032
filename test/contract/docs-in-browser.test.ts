import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { operations } from '#capabilities/operations.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'
import { type Screen, screens, useBrowser } from '../support/browser.ts'
import { servedPages } from '#transport/browser/markdown.page.ts'
import { count } from '../support/counts.ts'
import { formScreens } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

type Visit = {
  readonly page: Page
  readonly requests: readonly string[]
  // Whatever went wrong on the page: errors, refused loads, breaches of its policy.
  readonly complaints: readonly string[]
}

const pages: readonly [path: string, waitsFor: string, shows: readonly string[]][] = [
  ['/docs', 'Authenticate', operations.map(({ contract }) => contract.title)],
  ['/docs/sandbox', 'The card network in the box', ['By card number', 'By amount', 'The time machine']],
  ['/docs/errors', 'Error codes', Object.values(errorCodes).map(({ code }) => String(code))],
]

const screensMax = 200
const isFull = count({ full: 2, usual: 1 }) === 2
const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'
// Asked of the page itself, because to name headings by their role means to look at all of it each time.
const shownHeadings = `[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
  .filter((heading) => heading.checkVisibility()).map((heading) => heading.textContent)`

const edgeOfPage = "const edge = document.querySelector('main').getBoundingClientRect().right + 1"
const cellsOutOfSight = `${edgeOfPage}; [...document.querySelectorAll('td')]
  .filter((cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > edge)
  .map((cell) => cell.textContent)`
// Named by what stands above them, or where that is not shown, before them.
const cellsWithoutName = `${edgeOfPage}; [...document.querySelectorAll('td')].filter((cell) => {
  const name = cell.closest('table').querySelectorAll('th')[cell.cellIndex]
  const isAbove = name.getBoundingClientRect().right <= edge && name.offsetHeight > 9
  const before = getComputedStyle(cell, '::before').content
  return cell.checkVisibility() && before !== JSON.stringify(name.textContent) && !isAbove
}).map((cell) => cell.textContent)`

// Of the dialog in which a call is tried.
const widthOutOfSight = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
  document.querySelector('.scalar-client main'))`

describe('the docs in a browser', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(path: string, screen: Screen, look: (visit: Visit) => Promise<void>): Promise<void> {
    await using context = await browser().open(screen)
    const page = await context.newPage()
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    await page.goto(gateway().baseUrl + path, { waitUntil: 'networkidle' })
    await look({ page, requests, complaints })
  }

  for (const [path, waitsFor, shows] of pages) {
    for (const [where, screen] of screens) {
      test(`${path} on ${where} shows all it should, asks no other host and breaks no policy`, async () => {
        await visit(path, screen, async ({ page, requests, complaints }) => {
          await page.getByRole('heading', { name: waitsFor }).first().waitFor()
          // Reading it all takes long: usually on the desk only, the beginning on the phone.
          const read = where === 'a desk' || isFull ? shows : shows.slice(0, 5)
          assert.deepEqual(await neverInView(page, read), [], 'everything is shown')
          assert.equal(await page.getByRole('heading', { name: 'Models' }).count(), 0, 'and nothing twice')
          assert.deepEqual(foreign(requests, gateway().baseUrl), [])
          assert.deepEqual(complaints, [])
          const width = await page.evaluate('document.documentElement.scrollWidth')
          assert.equal(width, screen.width, 'nobody has to scroll sideways')
        })
      })
    }
  }

  for (const [where, screen] of screens) {
    for (const path of ['/docs/errors', '/docs/sandbox']) {
      test(`${path} on ${where} is accessible in light and in dark colours`, async () => {
        await visit(path, screen, async ({ page }) => {
          assert.deepEqual(await graveViolations(page, {}), [])
          await page.emulateMedia({ colorScheme: 'dark' })
          // Nothing else changes with the colours.
          const contrast = { runOnly: { type: 'rule', values: ['color-contrast'] } }
          assert.deepEqual(await graveViolations(page, contrast), [])
        })
      })
    }
  }

  for (const screen of formScreens) {
    test(`at ${screen.width} pixels every cell of a table is in sight with its column`, async () => {
      await visit('/docs/sandbox', screen, async ({ page }) => {
        for (const name of servedPages) {
          await page.goto(`${gateway().baseUrl}/docs/${name}`)
          assert.deepEqual(await page.evaluate(cellsOutOfSight), [], name)
          assert.deepEqual(await page.evaluate(cellsWithoutName), [], name)
        }
      })
    })
  }

  for (const screen of formScreens) {
    test(`at ${screen.width} pixels a call is tried, and its answer shown`, async () => {
      await visit('/docs', screen, async ({ page, complaints }) => {
        // What lies below the screen is drawn once it is scrolled to.
        await page.getByRole('heading', { name: 'Session' }).first().scrollIntoViewIfNeeded()
        await page.getByRole('button', { name: 'Test Request' }).first().click()
        const send = page.getByRole('button', { name: /^Send/ }).first()
        await send.waitFor()
        // Before it is pressed, because a browser that is told to press it brings it into sight by itself.
        assert.equal(await page.evaluate(widthOutOfSight), 0)
        const answer = page.waitForResponse(/Authenticate$/)
        await send.click()
        assert.equal((await answer).status(), 200)
        assert.deepEqual(complaints, [])
      })
    })
  }

  for (const path of ['/docs', '/docs/errors', '/docs/sandbox']) {
    test(`${path} has an icon that its policy lets through`, async () => {
      await visit(path, screens[0][1], async ({ page, complaints }) => {
        const address = await page.locator('link[rel=icon]').getAttribute('href')
        const width = await page.evaluate(
          `new Promise((done) => {
            const icon = new Image()
            icon.onload = icon.onerror = () => done(icon.naturalWidth)
            icon.src = ${JSON.stringify(address)}
          })`,
        )
        assert(Number(width) > 0, `${address} is a picture`)
        assert.deepEqual(complaints, [])
      })
    })
  }

  test('a link to one error code opens the page at that code', async () => {
    await visit('/docs/errors#5030', screens[0][1], async ({ page }) => {
      const heading = page.getByRole('heading', { name: '5030' })
      const box = await heading.boundingBox()
      assert(box && box.y >= 0 && box.y < screens[0][1].height)
    })
  })
})

// The reference makes its parts only as a reader comes near them, so this reads the page from top to bottom.
async function neverInView(page: Page, texts: readonly string[]): Promise<readonly string[]> {
  let missing = texts
  for (let screensRead = 0; screensRead < screensMax && missing.length > 0; screensRead++) {
    const shown: readonly string[] = await page.evaluate(shownHeadings)
    missing = missing.filter((text) => !shown.some((heading) => heading.includes(text)))
    await page.keyboard.press('PageDown')
    await page.evaluate(twoFrames)
  }
  return missing
}

function foreign(requests: readonly string[], baseUrl: string): readonly string[] {
  return requests.filter((url) => new URL(url).origin !== baseUrl && !/^(?:data|blob):/.test(url))
}

async function graveViolations(page: Page, options: object): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
