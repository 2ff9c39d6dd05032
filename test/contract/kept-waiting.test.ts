import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import { orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { useGatewayAndDatabase } from '../support/gateway-and-database.ts'
import { readAnswer } from './envelope.ts'

// What PostgreSQL says when others hold what a statement needs, and when it takes too long by itself.
const problems = [
  { state: '55P03', what: 'waits in vain for what others hold' },
  { state: '57014', what: 'takes too long' },
]

const calls = [
  { contract: chargeCardContract, what: 'a charge' },
  { contract: chargeBankAccountContract, what: 'a bank debit' },
]

describe('while others keep the database busy', () => {
  const { gateway, sql, send } = useGatewayAndDatabase()

  async function keepWaiting(state: string, table: 'attempt' | 'idempotency'): Promise<void> {
    await sql(`create function give_up() returns trigger language plpgsql as $$
      begin raise exception 'canceling statement' using errcode = '${state}'; end $$`)
    await sql(`create trigger give_up before insert on ${table} for each row
      execute function give_up()`)
  }

  const letGo = () => sql('drop function give_up cascade')

  for (const { state, what } of problems) {
    for (const { contract, what: call } of calls) {
      test(`${call} that ${what} is undone, and may be tried again under its key`, async () => {
        const reference = `${call} ${state}`.replaceAll(' ', '-')
        const body = { ...contract.example.request, PurchItems: { ClientRefID: reference } }
        const charge = () => send(contract, body, { 'Idempotency-Key': reference })
        await keepWaiting(state, 'idempotency')
        const refused = await charge()
        await letGo()
        assert.deepEqual([refused.status, readAnswer(refused, contract.resultKey).ErrCode], [503, 9001])
        assert.ok(Number(refused.headers['retry-after']) > 0)
        const found = readAnswer(
          await send(lookUpOperationContract, { RefID: reference }),
          'Operation_LookupResult',
        )
        assert.deepEqual(found['Operations'], [])
        assert.equal(readAnswer(await charge(), contract.resultKey)['TxApproved'], true)
      })
    }
  }

  for (const { state, what } of problems) {
    test(`a form that ${what} tells its payer to look again, and is paid when asked once more`, async () => {
      const url = new URL(await orderForm(gateway()))
      const path = url.pathname + url.search
      const { text: shown } = await gateway().get(path)
      const k = /name="k" value="(\w+)"/.exec(shown)?.[1] ?? ''
      const pay = () =>
        gateway().send({
          method: 'POST',
          path,
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
          body: new URLSearchParams({ ...goodCard, total: '12500', k }).toString(),
        })
      await keepWaiting(state, 'attempt')
      const told = await pay()
      await letGo()
      assert.equal(told.status, 503)
      assert.ok(Number(told.headers['retry-after']) > 0)
      assert.match(told.text, /Something went wrong on our side[^]*Do not pay twice/)
      assert.equal(JSON.parse((await pay()).text).kind, 'paid')
    })
  }
})
