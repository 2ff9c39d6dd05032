import { until } from '../support/gateway-process.ts'
import { authenticatePath, type HttpCall } from '../support/in-process-gateway.ts'
import type { Answered } from './envelope.ts'
import {
  bodyAsRead,
  call,
  card,
  type Provoking,
  sale,
  type Shop,
  whileFailing,
  whileSql,
} from './error-shop.ts'

const json = { 'content-type': 'application/json' }
const stranger = { AcctCode: 'ZZ0000000', Token: '0'.repeat(32) }
const clock = '/sandbox/clock'

async function sent({ gateway }: Pick<Shop, 'gateway'>, request: Partial<HttpCall>): Promise<Answered> {
  const usual = { method: 'POST', path: authenticatePath, headers: json, body: JSON.stringify(stranger) }
  return bodyAsRead(await gateway.send({ ...usual, ...request }))
}

function signIn(shop: Shop, AcctCode: string, Token: string): Promise<Answered> {
  return sent(shop, { body: JSON.stringify({ AcctCode, Token }) })
}

function signInAsDemo(shop: Shop): Promise<Answered> {
  return signIn(shop, shop.gateway.accountCode, shop.gateway.token)
}

// An amount whose answer the bank keeps for itself.
const lost = { ...sale, Amounts: { BaseAmt: 9900.98 } }
const lostUnder = (shop: Shop, key: string): Promise<Answered> =>
  call(shop, 'CardSale/Manual', lost, { 'Idempotency-Key': key })

async function hasAttempts({ sql }: Shop, key: string): Promise<boolean> {
  return (await sql(`select 1 from idempotency where key = '${key}'`)).rows.length > 0
}

export const provokedRequestErrors: Provoking = {
  malformed_request: (shop) => sent(shop, { body: '[]' }),
  wrong_type: (shop) => sent(shop, { body: '{"AcctCode":7,"Token":"0"}' }),
  missing_member: (shop) => sent(shop, { body: '{"AcctCode":"ZZ0000000"}' }),
  value_out_of_range: (shop) => signIn(shop, 'Z'.repeat(76), '0'),
  illegal_characters: (shop) => signIn(shop, 'ZZ\u0000', '0'),
  unknown_path: (shop) => sent(shop, { path: '/nowhere' }),
  method_not_allowed: (shop) => sent(shop, { method: 'PUT' }),
  too_large: (shop) => sent(shop, { body: ' '.repeat(262_145) }),
  wrong_content_type: (shop) => sent(shop, { headers: { 'content-type': 'text/plain' } }),
  wrong_encoding: (shop) => sent(shop, { body: Buffer.from('{"AcctCode":"\xe9"}', 'latin1') }),
  key_reused: async (shop) => {
    await call(shop, 'CardSale/Manual', sale, { 'Idempotency-Key': 'reused' })
    const other = { ...sale, Amounts: { BaseAmt: 11 } }
    return call(shop, 'CardSale/Manual', other, { 'Idempotency-Key': 'reused' })
  },
  key_running: async (shop) => {
    const first = lostUnder(shop, 'running')
    await until(() => hasAttempts(shop, 'running'), { what: 'the first call is recorded' })
    const second = await lostUnder(shop, 'running')
    await first
    return second
  },
  outcome_unknown: (shop) => lostUnder(shop, 'unknown'),
  charge_reversed: async (shop) => {
    const { TxID } = await lostUnder(shop, 'reversed')
    await shop.sql(`update attempt set state = 'reversed' where attempt_id = ${Number(TxID)}`)
    return lostUnder(shop, 'reversed')
  },
  fault: (shop) => whileFailing(shop, 'P0001', () => call(shop, 'CardSale/Manual', sale)),
  busy: (shop) => whileFailing(shop, '53100', () => call(shop, 'CardSale/Manual', sale)),
  invalid_card: (shop) => {
    const ccCardInfo = { ...card, AccountNumber: '4111111111111112' }
    return call(shop, 'CardSale/Manual', { ...sale, ccCardInfo })
  },

  wrong_credentials: (shop) => signIn(shop, stranger.AcctCode, stranger.Token),
  token_expired: (shop) => {
    const set = "update api_token set expires_at = '2020-01-01'"
    const reset = "update api_token set expires_at = '2090-01-01'"
    return whileSql(shop, { set, reset }, { name: 'token_expired', ask: () => signInAsDemo(shop) })
  },
  account_closed: (shop) => {
    const change = { set: "update account set state = 'closed'", reset: "update account set state = 'open'" }
    return whileSql(shop, change, { name: 'account_closed', ask: () => signInAsDemo(shop) })
  },
  locked_out: (shop) => {
    const change = { set: "update account set state = 'locked'", reset: "update account set state = 'open'" }
    return whileSql(shop, change, { name: 'locked_out', ask: () => signInAsDemo(shop) })
  },
  session_invalid: (shop) => call({ ...shop, sessionKey: '0'.repeat(64) }, 'Session/Query', {}),
  session_elsewhere: async (shop) => {
    const sessionKey = await shop.gateway.signIn()
    const set = `update session set address = '203.0.113.9'; update account set binds_address = true`
    const reset = `update session set address = '127.0.0.1'; update account set binds_address = false`
    const ask = () => call({ ...shop, sessionKey }, 'Session/Query', {})
    return whileSql(shop, { set, reset }, { name: 'session_elsewhere', ask })
  },

  clock_is_moving: async (shop) => {
    const moving = `insert into account_clock (account_id, moving_to, lease_until)
      select account_id, now() + interval '1 day', now() + interval '1 day' from account`
    const set = `${moving} on conflict (account_id) do update
      set moving_to = excluded.moving_to, lease_until = excluded.lease_until`
    const reset = 'update account_clock set moving_to = null, lease_until = null'
    const ask = () => call(shop, clock, { advance: 'P1D' })
    return whileSql(shop, { set, reset }, { name: 'clock_is_moving', ask })
  },
  clock_goes_forward: (shop) => call(shop, clock, { set: '2020-01-01T00:00:00Z' }),
  clock_too_far: (shop) => call(shop, clock, { advance: 'P11Y' }),
}
