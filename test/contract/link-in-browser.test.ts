import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { keepScreen, typeCard } from '../support/form-client.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { linkAt, newConsent, sendLink, withdraw } from '../support/link-client.ts'

const phone = { width: 360, height: 780 }
const schemes = ['light', 'dark'] as const
const words = { Person: { Firstname: 'Ada' }, MessageBody: 'Your cleaning of 3 November. Thank you!' }

async function show(page: Page, name: string): Promise<void> {
  await keepScreen(page, `link-${name}`)
  await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate('axe.run()')
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  assert.deepEqual(told, [], name)
}

async function answer(page: Page, street: string): Promise<void> {
  await page.fill('#f-answer1', street)
  await page.fill('#f-answer2', '1990')
  await page.click('button.pay')
}

describe('the page behind a link, on a phone', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(
    url: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    await using context = await browser().open(phone, options)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      const isPlanned = /status of (?:403|404|410|422)/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isPlanned) complaints.push(message.text())
    })
    await page.goto(url)
    await look(page)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), phone.width)
    assert.deepEqual(complaints, [], 'no error, no breach of policy')
  }

  const due = '2028-11-20'

  for (const colorScheme of schemes) {
    test(`a payer who got a text pays in a minute, in ${colorScheme} colours`, async () => {
      const url = await sendLink(gateway(), { ...words, DueOn: due })
      await visit(
        url,
        async (page) => {
          const summary = await page.locator('.summary').innerText()
          assert.match(summary, /Pay [^]*\$125\.00[^]*Due Mon, Nov 20, 2028[^]*Hello Ada[^]*Your cleaning/)
          await show(page, `open-${colorScheme}`)
          await typeCard(page, '4000000000000002')
          await page.click('#pay')
          await page.locator('#alert:not([hidden])').waitFor()
          await show(page, `declined-${colorScheme}`)
          await typeCard(page)
          await page.click('#pay')
          await page.locator('.done').waitFor()
          assert.match(await page.locator('h1').innerText(), /Paid \$125\.00/)
          await show(page, `paid-${colorScheme}`)
          const receipt = await page.locator('.actions a').getAttribute('href')
          assert.equal((await page.goto(gateway().baseUrl + String(receipt)))?.status(), 200)
          assert.match(await page.locator('body').innerText(), /CUSTOMER COPY/)
        },
        { colorScheme },
      )
      assert.equal((await linkAt(gateway(), url))['State'], 'PAID')
      await visit(
        url,
        async (page) => {
          assert.match(await page.locator('h1').innerText(), /paid already/)
          assert.doesNotMatch(await page.content(), /4242|Approval/)
          await show(page, `already-${colorScheme}`)
        },
        { colorScheme },
      )
    })

    test(`questions come first, and five wrong answers lock the link, in ${colorScheme}`, async () => {
      const Questions = [
        { Question: 'In which street do you live?', Answer: 'Main Street' },
        { Question: 'In which year were you born?', Answer: '1990' },
      ]
      const url = await sendLink(gateway(), { ...words, Questions })
      await visit(
        url,
        async (page) => {
          assert.doesNotMatch(await page.content(), /Ada|125|cleaning/)
          await show(page, `questions-${colorScheme}`)
          await answer(page, 'Elm Street')
          await page.locator('#alert:focus').waitFor()
          await show(page, `wrong-${colorScheme}`)
          await answer(page, ' main STREET')
          await page.locator('#pay').waitFor()
          assert.match(await page.locator('.summary').innerText(), /\$125\.00/)
        },
        { colorScheme },
      )
      await visit(
        url,
        async (page) => {
          for (let tries = 0; tries < 4; tries++) await answer(page, 'Elm Street')
          await page.locator('#notice').waitFor()
          assert.match(await page.locator('h1').innerText(), /locked/)
          await show(page, `locked-${colorScheme}`)
        },
        { colorScheme },
      )
    })

    test(`a card on file is offered by its last four, and asks for its code, in ${colorScheme}`, async () => {
      const url = await sendLink(gateway(), { ...words, ConsentID: await newConsent(gateway()) })
      await visit(
        url,
        async (page) => {
          assert.match(await page.locator('.methods').innerText(), /Visa ending 1111/)
          assert.equal(await page.locator('#f-number').isVisible(), false)
          await show(page, `on-file-${colorScheme}`)
          await page.click('#pay')
          await page.locator('#e-fileCode:not([hidden])').waitFor()
          await page.fill('#f-fileCode', '123')
          await page.click('#pay')
          await page.locator('.done').waitFor()
          assert.match(await page.locator('.rows').innerText(), /Visa ending 1111/)
        },
        { colorScheme },
      )
    })

    test(`a link that was withdrawn says so, and an open page of it notices, in ${colorScheme}`, async () => {
      const url = await sendLink(gateway(), words)
      await visit(
        url,
        async (page) => {
          await typeCard(page)
          await withdraw(gateway(), url)
          await page.click('#pay')
          await page.locator('#notice').waitFor()
          assert.match(await page.locator('#notice').innerText(), /withdrawn[^]*Nothing was charged/)
          await show(page, `withdrawn-${colorScheme}`)
        },
        { colorScheme },
      )
    })
  }

  test('another card pays where one is on file', async () => {
    const url = await sendLink(gateway(), { ConsentID: await newConsent(gateway()) })
    await visit(url, async (page) => {
      await page.locator('.choice', { hasText: 'Another card' }).click()
      await typeCard(page)
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('.rows').innerText(), /Visa ending 4242/)
    })
  })

  test('with a fee, the total of the card on file is told before anything is typed', async () => {
    const ConsentID = await newConsent(gateway(), '4242424242424242')
    const url = await sendLink(gateway(), { MerchID: 2, ConsentID })
    await visit(url, async (page) => {
      assert.equal(await page.locator('#pay-text').innerText(), 'Pay $128.75')
      await show(page, 'on-file-fee')
      await page.fill('#f-fileCode', '123')
      await page.click('#pay')
      await page.locator('.done').waitFor()
      assert.match(await page.locator('h1').innerText(), /\$128\.75/)
    })
  })

  test('without JavaScript questions are answered and a card pays', async () => {
    const url = await sendLink(gateway(), { Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
    await visit(
      url,
      async (page) => {
        await page.fill('#f-answer1', '62701')
        await page.click('button.pay')
        for (const [name, text] of Object.entries({
          number: '4242424242424242',
          expiry: '1230',
          code: '123',
        }))
          await page.fill(`#f-${name}`, text)
        await page.fill('#f-zip', '62701')
        await page.click('#pay')
        assert.match(await page.locator('h1').innerText(), /Paid \$125\.00/)
      },
      { javaScriptEnabled: false },
    )
  })

  for (const [locale, title, dueWord] of [
    ['es-MX', /Pagar a/, /Vence el/],
    ['fr-FR', /Payer/, /À payer le/],
  ] as const) {
    test(`it speaks ${locale}`, async () => {
      const url = await sendLink(gateway(), { ...words, DueOn: due })
      await visit(
        url,
        async (page) => {
          assert.match(await page.locator('h1').innerText(), title)
          assert.match(await page.locator('.summary').innerText(), dueWord)
          await show(page, `open-${locale}`)
          await page.getByRole('link', { name: 'English' }).click()
          assert.match(await page.locator('.summary').innerText(), /Due Mon/)
        },
        { locale },
      )
    })
  }

  test('an address that leads nowhere is a page of its own', async () => {
    await visit(`${gateway().baseUrl}/sw/0000000000000000`, (page) => show(page, 'missing'))
  })

  // The last: the clock of the account cannot be moved back.
  test('moved beyond its end by the time machine, a link says that it has expired', async () => {
    const url = await sendLink(gateway(), words)
    const SessKey = await gateway().signIn()
    const { text } = await gateway().post('/sandbox/clock', { advance: 'P31D' }, { SessKey })
    assert.match(text, /link\.expired/, 'the diary tells of it')
    for (const colorScheme of schemes)
      await visit(
        url,
        async (page) => {
          assert.match(await page.locator('#notice').innerText(), /has expired[^]*Nothing was charged/)
          await show(page, `expired-${colorScheme}`)
        },
        { colorScheme },
      )
    assert.equal((await linkAt(gateway(), url))['State'], 'EXPIRED')
  })
})
