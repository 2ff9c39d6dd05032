import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { BankProcess } from '../../simulator/start-bank-process.ts'
import { openTown } from '../support/bank-town.ts'
import { useBrowser } from '../support/browser.ts'
import { keepScreen, typeCard } from '../support/form-client.ts'
import { formOrder } from '../support/form-world.ts'
import { type GatewayProcess, until } from '../support/gateway-process.ts'

// A payer presses the button, and the gateway is killed with -9, or stopped in order, before it hears the
// bank's answer. It comes back on the same port, as a service does, and the page that the payer still has
// must tell the truth.

const phone = { width: 360, height: 780 }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  return typeof address === 'object' && address ? address.port : 0
}

async function openShop(t: TestContext) {
  const { home, bank, env: town } = await openTown(t)
  const env = {
    ...town,
    PORT: String(await freePort()),
    TILLGATE_PATIENCE_PERCENT: '10',
    TILLGATE_LOG_LEVEL: 'error',
  }
  return { bank, start: () => home.start(env) }
}

async function orderForm(gateway: GatewayProcess): Promise<string> {
  const answer = await gateway.call('CardSale/InitForm', formOrder(), await gateway.signIn())
  const { PaymentInitResult }: { PaymentInitResult: { PaymentUrl: string } } = JSON.parse(answer.text)
  return PaymentInitResult.PaymentUrl
}

async function approvalsAt(bank: BankProcess): Promise<readonly number[]> {
  const seen = await bank.readLog({ last: 1_000 })
  return seen
    .filter(({ verb, reply }) => verb === 'authorize' && reply.outcome === 'approved')
    .map(({ reply }) => Number(reply.approvedMinor))
    .filter((minor) => minor === 12_500)
}

async function assertPaidOnce(page: Page, bank: BankProcess): Promise<void> {
  await page.locator('.done').waitFor({ timeout: 60_000 })
  assert.match(await page.locator('h1').innerText(), /Paid \$125\.00/)
  assert.equal((await approvalsAt(bank)).length, 1)
}

describe('a gateway that goes away while somebody pays', () => {
  const browser = useBrowser()

  async function payAtShop(t: TestContext, leave: (gateway: GatewayProcess, page: Page) => Promise<void>) {
    const { bank, start } = await openShop(t)
    const first = await start()
    const url = await orderForm(first)
    // Approved, and silent about it.
    await bank.addFault({ verb: 'authorize', times: 1, delivery: { losesAnswer: true } })
    await using context = await browser().open(phone)
    const page = await context.newPage()
    await page.goto(url)
    await typeCard(page)
    await page.click('#pay')
    await until(async () => (await approvalsAt(bank)).length === 1, {
      what: 'the bank has approved',
      withinMs: 20_000,
    })
    await leave(first, page)
    await start()
    await assertPaidOnce(page, bank)
    await page.reload()
    await assertPaidOnce(page, bank)
  }

  test('killed, tells the truth on the page that was left open, and charges once', async (t) => {
    await payAtShop(t, async (gateway, page) => {
      await gateway.kill('SIGKILL')
      await page.getByText('The connection was lost').waitFor()
      await keepScreen(page, 'connection-lost-360')
    })
  })

  test('stopped, does so, too', async (t) => {
    await payAtShop(t, async (gateway) => {
      // Whoever waits is answered while it stops; what the page asks then, nobody answers.
      const { code } = await gateway.stop()
      assert.equal(code, 0)
    })
  })
})
