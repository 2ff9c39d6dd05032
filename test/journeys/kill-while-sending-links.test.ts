import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayProcess, openHome } from '../support/gateway-process.ts'

const prefix = '/APIcardProcREST/v1.0.0/'

type Answer = { readonly ErrCode: number; readonly PaymentUrl: string | null }
type Call = {
  readonly path: string
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

const phoneOf = (at: number): string => `+121255501${String(at).padStart(2, '0')}`

async function call({ baseUrl }: GatewayProcess, { path, body, headers }: Call): Promise<Answer> {
  const sent = await fetch(baseUrl + prefix + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const [result] = Object.values<Answer>(Object(await sent.json()))
  assert(result)
  return result
}

test('links that were ordered while the gateway was killed are sent once when ordered again', async (t) => {
  const home = openHome(t)
  const first = await home.start()
  const SessKey = await first.signIn()
  const orders = Array.from({ length: 30 }, (_, at) => ({
    phone: phoneOf(at),
    path: 'Other/SMSPay',
    headers: { SessKey, 'Idempotency-Key': `text-${at}` },
    body: {
      Msg: {
        MessageType: 'TEXT',
        Person: { Phone: phoneOf(at) },
        MerchID: 1,
        Amount: 125,
        SingleUse: 1,
        RefID: `order-${at}`,
      },
    },
  }))
  const told = new Map<number, string>()
  const ordering = orders.map(async (order, at) => {
    const { PaymentUrl } = await call(first, order)
    if (PaymentUrl) told.set(at, new URL(PaymentUrl).pathname)
    // In the middle of it, whatever the others are at.
    if (told.size === 10) await first.kill('SIGKILL')
  })
  await Promise.allSettled(ordering)
  assert(told.size >= 10)
  const second = await home.start()
  for (const [at, order] of orders.entries()) {
    const { ErrCode, PaymentUrl } = await call(second, order)
    assert.equal(ErrCode, 0)
    const path = new URL(String(PaymentUrl)).pathname
    assert.equal(path, told.get(at) ?? path, 'the same link as before the kill')
  }
  const account = ['--account', 'TG0000001', '--json']
  const links: readonly { readonly recipient: string }[] = JSON.parse(
    (await home.runCli(['link', 'list', ...account])).stdout,
  )
  const texts: readonly { readonly to: string }[] = JSON.parse(
    (await home.runCli(['message', 'list', '--last', '100', ...account])).stdout,
  )
  const phones = orders.map(({ phone }) => phone).toSorted()
  const linked = links.map(({ recipient }) => recipient).filter((recipient) => recipient !== '')
  assert.deepEqual(linked.toSorted(), phones, 'one link for each order')
  assert.deepEqual(texts.map(({ to }) => to).toSorted(), phones, 'one text for each order')
  assert.equal((await second.stop()).code, 0)
})
