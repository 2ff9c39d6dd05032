import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { modifyAnnualConsentContract } from '#capabilities/consents/modify-annual-consent.contract.ts'
import { queryBatchesContract } from '#capabilities/search/query-batches.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const poolSize = 2

describe('while other calls hold every connection that calls have', () => {
  const gateway = useGateway({ TILLGATE_POOL_SIZE: String(poolSize) })
  let outsider: pg.Client | null = null
  before(async () => {
    outsider = new pg.Client({ connectionString: gateway().databaseUrl })
    await outsider.connect()
  })
  after(() => outsider?.end())

  async function call({ prefix, path, resultKey }: ContractFacts, SessKey: string, body: object) {
    const { status, text } = await gateway().post(prefix + path, body, { SessKey })
    const result: Readonly<Record<string, unknown>> = JSON.parse(text)[resultKey]
    return { status, result }
  }

  async function untilWaiting(least: number): Promise<void> {
    const waiting = `select count(*)::int4 as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    for (let looks = 0; looks < 1_000; looks += 1) {
      if ((await outsider?.query(waiting))?.rows[0]?.count >= least) return
      await delay(10)
    }
    assert.fail('The calls do not wait')
  }

  test('sales and debits are voided at once, by a session that nobody remembers', async () => {
    const [busy, fresh] = [await gateway().signIn(), await gateway().signIn()]
    const sale = await call(chargeCardContract, busy, chargeCardContract.example.request)
    const debit = await call(chargeBankAccountContract, busy, chargeBankAccountContract.example.request)
    const made = await call(createAnnualConsentContract, busy, createAnnualConsentContract.example.request)
    const { ConsentID } = made.result
    await outsider?.query('begin')
    await outsider?.query('select from consent where consent_id = $1 for update', [ConsentID])
    const change = { ConsentID, ConsentMods: { Email: 'new@example.com' } }
    const changes = Array.from({ length: poolSize }, () => call(modifyAnnualConsentContract, busy, change))
    await untilWaiting(poolSize)
    for (const [contract, done] of [
      [voidSaleContract, sale],
      [voidBankDebitContract, debit],
    ] as const) {
      const { status, result } = await call(contract, fresh, { TxID: done.result['TxID'] })
      assert.deepEqual([status, result['TxApproved']], [200, true])
    }
    await outsider?.query('rollback')
    await Promise.all(changes)
  })

  test('searches of one account leave a connection to others', async () => {
    const busy = await gateway().signIn()
    await outsider?.query('begin')
    await outsider?.query('lock table batch in access exclusive mode')
    const searches = Array.from({ length: 3 * poolSize }, () =>
      call(queryBatchesContract, busy, { Query: '(A=1)' }),
    )
    await untilWaiting(1)
    assert.notEqual(await gateway().signIn(), '')
    await outsider?.query('rollback')
    await Promise.all(searches)
    const { status, result } = await call(queryBatchesContract, busy, { Query: '(A=1)' })
    assert.deepEqual([status, result['ErrCode']], [200, 0], 'and this account searches on afterwards')
  })
})
