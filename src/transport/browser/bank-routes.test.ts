import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import fastify, { type FastifyInstance } from 'fastify'
import type { ChallengedOrder } from '#capabilities/international/payer-order.ts'
import { registerBankPages } from '#transport/browser/bank-routes.ts'
import { useBrowser } from '../../../test/support/browser.ts'
import { challenge, comeBack, openShop, stepsOf } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import type { Till } from '../../../test/support/till.ts'

// The bank in a house of its own, and a page of the shop to come back to.
function useBank(): () => { readonly shop: Till; readonly url: string } {
  const world = useWorld()
  let app: FastifyInstance | null = null
  let bank: { readonly shop: Till; readonly url: string } | null = null
  before(async () => {
    const shop = await openShop(world())
    app = fastify()
    registerBankPages(app, shop.needs)
    app.get('/PayForm/back', (_, reply) => reply.type('text/html').send('<h1>Welcome back</h1>'))
    bank = { shop, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
  })
  after(() => app?.close())
  return () => {
    assert(bank, 'the bank is open only while tests run')
    return bank
  }
}

async function codeOf({ needs }: Till, { address }: ChallengedOrder): Promise<string> {
  return (await needs.payerBank.find(address.split('/').at(-1) ?? ''))?.code ?? ''
}

describe('the page of a bank that wants to see the payer', () => {
  const bank = useBank()
  const post = (address: string, fields: Record<string, string>) =>
    fetch(`${bank().url}${address}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })

  test('tells who wants how much with which card, and shows the code in the sandbox', async () => {
    const { shop, url } = bank()
    const order = await challenge(shop)
    const answer = await fetch(`${url}${order.address}`)
    const page = await answer.text()
    const shown = ['Corner Books Europe', '25.50 EUR', 'ending in 3220', await codeOf(shop, order)]
    for (const words of ['Test, no money moves', ...shown]) assert(page.includes(words), words)
    assert.doesNotMatch(page, /<script|style=|4000000000003220/)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; /)
    assert.match(policy, /form-action 'self'; base-uri 'none'; frame-ancestors \*$/)
  })

  test('sends the payer back with the right code, and the order is charged', async () => {
    const { shop } = bank()
    const order = await challenge(shop)
    const code = await codeOf(shop, order)
    const answer = await post(order.address, {
      answer: 'confirm',
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/PayForm/back'])
    const finished = await comeBack(shop, order)
    assert(finished.ok && finished.value.kind === 'paid' && finished.value.isApproved)
    assert.equal((await stepsOf(shop, order.transactionId)).at(-1), 'SALE SUCCESS/SETTLED 25.5')
  })

  test('counts wrong codes aloud, and gives up after three', async () => {
    const { shop, url } = bank()
    const order = await challenge(shop)
    const wrong = async () => post(order.address, { answer: 'confirm', code: 'xxxxxx' })
    assert.match(
      await (await wrong()).text(),
      /role="alert"[^>]*>That is not the code. You have 2 more tries/,
    )
    assert.match(await (await wrong()).text(), /You have one more try/)
    assert.equal((await wrong()).status, 303)
    assert.match(await (await fetch(`${url}${order.address}`)).text(), /Nothing was charged/)
    const late = await post(order.address, { code: await codeOf(shop, order) })
    assert.equal(late.status, 303)
    const finished = await comeBack(shop, order)
    assert(finished.ok && finished.value.kind === 'paid' && !finished.value.isApproved)
  })

  test('lets the payer cancel, and tells a stranger nothing', async () => {
    const { shop, url } = bank()
    const order = await challenge(shop)
    assert.equal((await post(order.address, { answer: 'cancel' })).status, 303)
    const finished = await comeBack(shop, order)
    assert(finished.ok && finished.value.kind === 'paid')
    assert.equal(finished.value.because, 'not_confirmed')
    for (const path of ['/bank/challenge/x', '/bank/challenge/00000000-0000-4000-8000-000000000000']) {
      const unknown = await fetch(`${url}${path}`)
      assert.equal(unknown.status, 404)
      assert.match(await unknown.text(), /Nothing to confirm/)
      assert.equal((await post(path, { code: '000000' })).status, 404)
    }
  })
})

describe('the page of a bank in a browser', () => {
  const bank = useBank()
  const browser = useBrowser()

  for (const [device, width] of [
    ['a phone', 360],
    ['a desk', 1280],
  ] as const) {
    test(`on ${device} takes a payer to the bank and back, by keyboard alone`, async () => {
      const { shop, url } = bank()
      const order = await challenge(shop)
      const context = await browser().open({ width, height: 800 })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      await page.goto(`${url}${order.address}`)
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, 'nobody has to scroll sideways')
      await page.getByLabel('Code from your phone').focus()
      await page.keyboard.type('000')
      await page.keyboard.press('Enter')
      assert.match(page.url(), /challenge/, 'three digits are not sent')
      await page.getByLabel('Code from your phone').fill(await codeOf(shop, order))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
      assert.deepEqual(complaints, [], 'the policy of the page is kept')
      await context.close()
      const finished = await comeBack(shop, order)
      assert(finished.ok && finished.value.kind === 'paid' && finished.value.isApproved)
    })
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`in ${colorScheme} colours has nothing that axe objects to, with and without an error`, async () => {
      const { shop, url } = bank()
      const order = await challenge(shop)
      const context = await browser().open({ width: 360, height: 800 })
      const page = await context.newPage()
      await page.emulateMedia({ colorScheme })
      await page.goto(`${url}${order.address}`)
      const violations = async () => {
        // Evaluated from outside, so the policy of the page stays as it is.
        await page.evaluate(axe.source)
        const found: axe.AxeResults = await page.evaluate('axe.run()')
        return found.violations.map(({ id, help }) => `${id}: ${help}`)
      }
      assert.deepEqual(await violations(), [])
      await page.getByLabel('Code from your phone').fill('000000')
      const code = await codeOf(shop, order)
      if (code === '000000') return
      await page.getByRole('button', { name: 'Confirm payment' }).click()
      await page.getByRole('alert').waitFor()
      assert.deepEqual(await violations(), [])
      await context.close()
    })
  }
})
