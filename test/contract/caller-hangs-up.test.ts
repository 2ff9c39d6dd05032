import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import { until } from '../support/gateway-process.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

// Approved at the bank, and its answer is lost.
const lostAnswer = 9900.68

// Nearly all of each test is waiting, so they wait together.
describe('a caller who hangs up while the bank is silent', { concurrency: true }, () => {
  const gateway = useGateway({ TILLGATE_PATIENCE_PERCENT: '25' })

  async function chargeAndHangUp(ClientRefID: string, headers: readonly string[]): Promise<void> {
    const { prefix, path, example } = chargeCardContract
    const body = JSON.stringify({
      ...example.request,
      Amounts: { BaseAmt: lostAnswer },
      PurchItems: { ClientRefID },
    })
    const head = [
      `POST ${prefix}${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `SessKey: ${sessionKey}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ]
    const { hostname, port } = new URL(gateway().baseUrl)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    await until(async () => (await statesOf(ClientRefID)).length > 0, { what: 'the charge is under way' })
    socket.destroy()
  }

  let sessionKey = ''
  before(async () => {
    sessionKey = await gateway().signIn()
  })

  async function statesOf(RefID: string): Promise<readonly string[]> {
    const { prefix, path } = lookUpOperationContract
    const answer = await gateway().post(prefix + path, { RefID }, { SessKey: sessionKey })
    const { Operations } = readAnswer(answer, 'Operation_LookupResult')
    return (Operations as readonly { State: string }[]).map(({ State }) => State)
  }

  for (const { what, key, end } of [
    {
      what: 'is not charged if no key was sent, as no repetition would find the charge',
      key: null,
      end: 'reversed',
    },
    { what: 'is charged if a key was sent, and finds the charge by it', key: 'hung-up', end: 'approved' },
  ]) {
    test(what, async () => {
      const RefID = `hang-up-${end}`
      await chargeAndHangUp(RefID, key === null ? [] : [`Idempotency-Key: ${key}`])
      const isOver = async () => ['approved', 'reversed'].includes((await statesOf(RefID))[0] ?? '')
      await until(isOver, { what: 'the outcome is known' })
      assert.deepEqual(await statesOf(RefID), [end])
    })
  }
})
