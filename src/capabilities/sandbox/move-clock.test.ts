import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type HttpAnswer, useGateway } from '../../../test/support/in-process-gateway.ts'

const rest = '/APIcardProcREST/v1.0.0/'

type Told = {
  readonly FunctionOk: boolean
  readonly ErrCode: number
  readonly RespMsg: string
  readonly now: string
  readonly movingTo: string | null
  readonly diary: readonly object[]
  readonly unresolved: number
}

const told = ({ text }: HttpAnswer): Told => JSON.parse(text).ClockResult
const yearOf = ({ now }: Told) => Number(now.slice(0, 4))
const card = (ExpYear: number) => {
  return { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear, CSV: '123' }
}

describe('the clock of a sandbox account', () => {
  const gateway = useGateway()
  let sessionKey = ''
  before(async () => {
    sessionKey = await gateway().signIn()
  })

  const headers = () => ({ SessKey: sessionKey })
  const move = (body: object) => gateway().post('/sandbox/clock', body, headers())
  const show = () => gateway().send({ method: 'GET', path: '/sandbox/clock', headers: headers() })

  async function call(path: string, body: object) {
    const answer = JSON.parse((await gateway().post(rest + path, body, headers())).text)
    return Object.values(answer)[0] as Record<string, unknown>
  }

  const sale = (ccCardInfo: object, ClientRefID: string) =>
    call('CardSale/Manual', { MerchID: 1, Amounts: { BaseAmt: 5 }, ccCardInfo, PurchItems: { ClientRefID } })

  test('is moved with a session key, and every payment is dated by it from then on', async () => {
    const real = told(await show())
    const moved = told(await move({ advance: 'P2Y' }))
    assert.deepEqual([moved.FunctionOk, moved.movingTo, moved.unresolved], [true, null, 0])
    assert.match(moved.RespMsg, /^It is .*; \d+ things were done$/)
    assert.equal(yearOf(moved), yearOf(real) + 2)
    assert.equal(yearOf(told(await show())), yearOf(moved))

    const charged = await sale(card(yearOf(moved) + 1), 'from-the-future')
    assert.equal(charged['FunctionOk'], true, String(charged['ErrMsg']))
    const [found] = (await call('Operation/Lookup', { RefID: 'from-the-future' }))['Operations'] as {
      CreatedOn: string
    }[]
    assert.ok(found && found.CreatedOn >= moved.now)
  })

  test('makes cards expire, while session keys go on by real time', async () => {
    const expired = await sale(card(yearOf(told(await show())) - 1), 'expired')
    assert.equal(expired['FunctionOk'], false)
    assert.match(String(expired['RespMsg']), /expired/)
    assert.equal((await call('Session/Query', {}))['FunctionOk'], true)
  })

  const wrong: readonly (readonly [object, number, RegExp])[] = [
    [{}, 4002, /^advance or set is missing$/],
    [{ advance: 'a year' }, 4003, /^advance must be a positive ISO 8601 duration/],
    [{ advance: 'P0D' }, 4003, /^advance must be a positive/],
    [{ advance: 'P11Y' }, 8804, /^advance must not lie more than 10 years ahead$/],
    [{ advance: '-P1D' }, 4003, /^advance must be/],
    [{ advance: 'P999999999Y' }, 4003, /^advance must be/],
    [{ advance: 12 }, 4001, /^advance must be a text$/],
    [{ set: 'tomorrow' }, 4003, /^set is not a date/],
    [{ set: '2026-01-01T00:00:00Z' }, 8803, /^set must not lie before [-\d]{10}T[:\d]{8}\.\d{3}Z, which/],
    [{ set: '9999-12-31' }, 8804, /^set must not lie more than 10 years ahead$/],
    [{ set: '+250000-01-01T00:00:00Z' }, 4003, /^set is not a date/],
    [{ advance: 'P1D', set: '9999-01-01' }, 4003, /^advance and set exclude each other/],
  ]
  for (const [body, code, message] of wrong) {
    test(`is not moved by ${JSON.stringify(body)}, and the answer names the member`, async () => {
      const refused = told(await move(body))
      assert.deepEqual([refused.FunctionOk, refused.ErrCode], [false, code])
      assert.match(refused.RespMsg, message)
    })
  }

  test('is shown and moved to nobody without a session', async () => {
    const moved = await gateway().post('/sandbox/clock', { advance: 'P1D' })
    const shown = await gateway().get('/sandbox/clock')
    assert.deepEqual([told(moved).ErrCode, told(shown).ErrCode], [5030, 5030])
  })

  test('excludes two moves at once, or does them one after the other, but loses none', async () => {
    const earlier = Temporal.Instant.from(told(await show()).now)
    const answers = await Promise.all(Array.from({ length: 5 }, () => move({ advance: 'P1D' })))
    const done = answers.filter((answer) => told(answer).FunctionOk).length
    assert.ok(done >= 1)
    for (const answer of answers) assert.ok([0, 8802].includes(told(answer).ErrCode))
    const days =
      Temporal.Instant.from(told(await show()).now)
        .since(earlier)
        .total('hours') / 24
    assert.equal(Math.round(days), done)
  })
})
