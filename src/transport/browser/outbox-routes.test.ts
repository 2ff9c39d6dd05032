import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import fastify, { type FastifyInstance } from 'fastify'
import type { Page } from 'playwright-core'
import { mailOf } from '#capabilities/messages/mail.page.ts'
import { registerFormFiles } from '#transport/browser/form-routes.ts'
import { registerOutbox } from '#transport/browser/outbox-routes.ts'
import { screens, useBrowser } from '../../../test/support/browser.ts'
import { deliver, mustQueue, newMail, newText, openDesk } from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const narrow = ['a narrow phone', { width: 320, height: 640 }] as const
const adaFrame = 'iframe[title="E-mail to ada@example.com"]'
const nasty = '<img src=x onerror=alert(1)>'

describe('the outbox', () => {
  const world = useWorld()
  const browser = useBrowser()
  let app: FastifyInstance | null = null
  let url = ''

  before(async () => {
    const desk = await openDesk(world())
    const { needs } = desk
    app = fastify()
    registerFormFiles(app)
    registerOutbox(app, { context: needs, baseUrl: () => url })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
    const link = `${url}/sw/K7Q2-9XW4-M3TP-8ZRA`
    const letter = {
      merchantName: `Corner Books ${nasty}`,
      title: 'Your bill',
      amount: '$1,234,567.89',
      paragraphs: [`Hello Ada, ${'thisisaverylongwordthatneverends'.repeat(4)}`, `Thank you. ${nasty}`],
      facts: [{ label: 'Reference', value: 'invoice-1042' }],
      button: { label: 'Pay $12.50', href: link },
      footer: ['Corner Books, 1 Main Street, Springfield'],
      isSandbox: true,
    }
    await mustQueue(desk, newMail(desk, { subject: `Your bill ${nasty}`, ...mailOf(letter) }))
    const lines = Array.from({ length: 20 }, (_, at) => ({ label: `Line ${at + 1}`, value: 'Bright yellow' }))
    const receipt = mailOf({ ...letter, title: 'Receipt', facts: lines })
    await mustQueue(desk, newMail(desk, { recipient: 'grace@example.com', ...receipt }))
    const text = `Corner Books: pay $12.50 at ${link} or see https://elsewhere.example/x ${nasty}`
    await mustQueue(desk, newText(desk, { text }))
    await deliver(desk)
  })
  after(() => app?.close())

  test('shows a text in a bubble, with our own links and no others', async () => {
    await using context = await browser().open(screens[0][1])
    const page = await context.newPage()
    await page.goto(`${url}/sandbox/outbox`)
    const bubble = page.locator('.bubble')
    assert.match((await bubble.textContent()) ?? '', /Corner Books: pay \$12\.50.*<img src=x/)
    assert.deepEqual(await bubble.locator('a').allTextContents(), [`${url}/sw/K7Q2-9XW4-M3TP-8ZRA`])
    assert.equal(await page.getByText('Delivered', { exact: true }).count(), 3)
  })

  test('shows an e-mail as it is, with its button, and nothing in it runs', async () => {
    await using context = await browser().open(screens[0][1])
    const page = await context.newPage()
    let alerts = 0
    page.on('dialog', () => (alerts += 1))
    await page.goto(`${url}/sandbox/outbox`, { waitUntil: 'networkidle' })
    const mail = page.frameLocator(adaFrame)
    assert(await mail.getByText('Test, no money moves').isVisible())
    assert(await mail.getByRole('link', { name: 'Pay $12.50' }).isVisible())
    assert.equal(await mail.locator('img').count(), 0)
    assert.equal(alerts, 0)
  })

  test('an e-mail fits into a window of 320 pixels, in the light and in the dark', async () => {
    await using context = await browser().open(narrow[1])
    const page = await context.newPage()
    await page.goto(`${url}/sandbox/outbox`)
    const address = (await page.locator(adaFrame).getAttribute('src')) ?? ''
    await page.goto(`${url}${address}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    for (const [colorScheme, color] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(26, 32, 41)'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      assert.equal(
        await page.evaluate('getComputedStyle(document.querySelector(".card")).backgroundColor'),
        color,
      )
    }
  })

  test('each e-mail is shown whole, with no blank space below, however wide the page becomes', async () => {
    const [[, phone], [, desk]] = screens
    for (const [first, then] of [
      [narrow[1], desk],
      [phone, desk],
      [desk, phone],
    ] as const) {
      await using context = await browser().open(first)
      const page = await context.newPage()
      await page.goto(`${url}/sandbox/outbox`)
      await assertFitted(page)
      await page.setViewportSize(then)
      await assertFitted(page)
    }
  })

  test('an e-mail that does not exist is not found, and neither is a text as one', async () => {
    for (const path of ['999999/mail', 'x/mail', '-1/mail'])
      assert.equal((await fetch(`${url}/sandbox/outbox/${path}`)).status, 404)
  })

  for (const [where, screen] of [narrow, ...screens]) {
    test(`the page on ${where} breaks no policy, needs no sideways scrolling and is accessible`, async () => {
      await using context = await browser().open(screen)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(`${url}/sandbox/outbox`, { waitUntil: 'networkidle' })
      await page.locator('details summary').first().click()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), screen.width)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate(axe.source)
        const { violations }: axe.AxeResults = await page.evaluate('axe.run(document, { iframes: false })')
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
          [],
        )
      }
      assert.deepEqual(complaints, [])
    })
  }

  test('a script in an e-mail is not run, neither in its frame nor in a page of its own', async () => {
    const run = "<p>Hello</p><script>document.querySelector('p').textContent = 'It ran'</script>"
    const sent = {
      recipient: 'mallory@example.com',
      html: `${run}<img src=x onerror="document.title = 'ran'">`,
    }
    const desk = await openDesk(world())
    const id = await mustQueue(desk, newMail(desk, sent))
    await using context = await browser().open(screens[0][1])
    const page = await context.newPage()
    await page.goto(`${url}/sandbox/outbox`)
    assert.equal(await page.frameLocator('iframe').locator('p').innerText(), 'Hello')
    await page.goto(`${url}/sandbox/outbox/${id}/mail`)
    assert.equal(await page.locator('p').innerText(), 'Hello')
    assert.equal(await page.title(), '')
  })
})

// As high as what is in it, to the pixel that a part of one takes.
async function assertFitted(page: Page): Promise<void> {
  const frames = await page.locator('iframe').all()
  assert.equal(frames.length, 2)
  for (const frame of frames) {
    await frame.scrollIntoViewIfNeeded()
    await page.waitForFunction(
      (one) => {
        const content = one.contentDocument?.body.getBoundingClientRect().height ?? 0
        return content > 100 && one.clientHeight === Math.ceil(content)
      },
      await frame.elementHandle(),
    )
  }
}
