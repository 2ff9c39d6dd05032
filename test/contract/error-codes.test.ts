import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { operations, sandboxOperations } from '#capabilities/operations.ts'
import { errorCodes, type ErrorName, errorNames } from '#capabilities/wire/error-codes.ts'
import { until } from '../support/gateway-process.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { call, type Provoking, sale, type Shop } from './error-shop.ts'
import { provokedOtherErrors } from './provoked-other-errors.ts'
import { provokedPaymentErrors } from './provoked-payment-errors.ts'
import { provokedRequestErrors } from './provoked-request-errors.ts'

// Each code of the error reference is answered to a request that provokes it.

function useShop(settings: Readonly<Record<string, string>> = {}): () => Shop {
  const gateway = useGateway({ TILLGATE_PATIENCE_PERCENT: '10', ...settings })
  let client: pg.Client
  let sessionKey = ''
  before(async () => {
    client = new pg.Client({ connectionString: gateway().databaseUrl })
    await client.connect()
    sessionKey = await gateway().signIn()
  })
  after(() => client.end())
  return () => ({ gateway: gateway(), sessionKey, sql: (text) => client.query(text) })
}

const atAnyGateway: Provoking = {
  ...provokedRequestErrors,
  ...provokedPaymentErrors,
  ...provokedOtherErrors,
}

describe('an error code is provoked by a request', () => {
  const shop = useShop()
  for (const name of errorNames.filter((one) => atAnyGateway[one])) {
    test(`${errorCodes[name].code} ${name.replaceAll('_', ' ')}`, async () => {
      const answer = await atAnyGateway[name]?.(shop())
      assert(answer)
      assert.equal(answer.ErrCode, errorCodes[name].code, answer.ErrMsg)
    })
  }
})

const atGatewaysOfTheirOwn: readonly ErrorName[] = ['rate_limited', 'card_testing', 'paused']

describe('at a gateway of its own', () => {
  const limited = useShop({ TILLGATE_RATE_LIMITS: 'on', TILLGATE_QUERIES_PER_SECOND: '1' })
  test(`${errorCodes.rate_limited.code} rate limited`, async () => {
    const calls = Array.from({ length: 5 }, () => call(limited(), 'Webhook/List', {}))
    const codes = (await Promise.all(calls)).map(({ ErrCode }) => ErrCode)
    assert(codes.includes(errorCodes.rate_limited.code))
  })

  test(`${errorCodes.card_testing.code} card testing`, async () => {
    const ccCardInfo = { ...sale.ccCardInfo, AccountNumber: '4000000000009979' }
    const codes: number[] = []
    for (let tries = 0; tries < 9; tries++)
      codes.push((await call(limited(), 'CardSale/Manual', { ...sale, ccCardInfo })).ErrCode)
    assert.deepEqual(codes, [...Array<number>(8).fill(0), errorCodes.card_testing.code])
  })

  const copied = useShop()
  test(`${errorCodes.paused.code} paused`, async () => {
    const { sql } = copied()
    await sql(`update node set node_digest = repeat('0', 64), registered_at = now() - interval '1 day'`)
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    const isPaused = async () =>
      (await call(copied(), 'CardSale/Manual', sale)).ErrCode === errorCodes.paused.code
    await until(isPaused, { what: 'the gateway takes its database for a copy' })
  })
})

// What no request to a sandbox is answered.
const unasked: Partial<Record<ErrorName, string>> = {
  order_closed: 'the page of the payer says it, in words of its own',
  clock_is_live: 'the sandbox has clocks that move; show-clock.test.ts asks in live mode',
}

test('every code is provoked, or no request to a sandbox is answered it', () => {
  const provoked = new Set<ErrorName>([
    ...errorNames.filter((name) => atAnyGateway[name]),
    ...atGatewaysOfTheirOwn,
  ])
  assert.deepEqual(
    errorNames.filter((name) => !provoked.has(name)).toSorted(),
    Object.keys(unasked).toSorted(),
  )
  const all = [...operations, ...Object.values(sandboxOperations)]
  assert(all.every(({ contract }) => !contract.refusals.includes('order_closed')))
})
