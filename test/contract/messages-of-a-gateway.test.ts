import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { openMailServer } from '../support/mail-server.ts'
import { openShortMessageCentre } from '../support/short-message-centre.ts'

const mailServer = await openMailServer({ after })
const centre = await openShortMessageCentre({ after })

describe('a gateway with senders of its own', () => {
  const gateway = useGateway({
    TILLGATE_MAIL_SENDER: 'smtp',
    TILLGATE_MAIL_FROM: 'payments@pay.example',
    TILLGATE_SMTP_URL: mailServer.url.reveal(),
    TILLGATE_TEXT_SENDER: 'smpp',
    TILLGATE_TEXT_FROM: '+12125550100',
    TILLGATE_SMPP_URL: centre.url.reveal(),
  })

  test('mails the receipt of a form to a payer who asked for it, by itself', async (t) => {
    const url = await orderForm(gateway(), {}, { eVisible: 'E0E0' })
    const path = new URL(url).pathname + new URL(url).search
    const k = /name="k" value="(\w+)"/.exec((await gateway().get(path)).text)?.[1] ?? ''
    const typed = { ...goodCard, total: '12500', k, email: 'zoe@example.com', mail: '1' }
    const paid = await gateway().send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(typed).toString(),
    })
    assert(paid.status < 400, paid.text)
    await t.waitFor(() => assert.equal(mailServer.received.length, 1), { timeout: 20_000, interval: 100 })
    const [got] = mailServer.received
    assert.equal(got?.to, 'zoe@example.com')
    assert.match(got.mail.text ?? '', /\$125\.00 USD/)
    const page = (await gateway().get('/sandbox/outbox')).text
    assert.match(page, /E-mail to zoe@example\.com/)
  })

  test('is bound to its short message centre and takes what phones say', async (t) => {
    await t.waitFor(() => assert(centre.isBound()), { timeout: 20_000, interval: 100 })
    const said = { source_addr_ton: 1, source_addr: '12125550144', short_message: 'STOP' }
    assert.equal(await centre.tell({ ...said, destination_addr: '12125550100' }), 0)
  })

  test('counts messages for whoever watches', async () => {
    const { text } = await gateway().get('/metrics')
    assert.match(text, /^tillgate_messages\{state="waiting"\} \d+$/m)
    assert.match(text, /^tillgate_message_sender_away_seconds\{channel="text"\} 0$/m)
  })
})
