import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import { makeLinkContract } from '#capabilities/links/make-link.contract.ts'
import { queryAnnualConsentsContract } from '#capabilities/search/query-annual-consents.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { useGatewayAndDatabase } from '../support/gateway-and-database.ts'
import type { HttpAnswer } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

// Whoever is told that nothing was done tries again. Where the database goes away at a commit, it may have
// been done.
describe('when the database goes away at a commit', () => {
  const { sql, send } = useGatewayAndDatabase()

  async function losing(
    table: 'attempt' | 'link' | 'reader',
    contract: ContractFacts,
    request: object = contract.example.request,
  ): Promise<HttpAnswer> {
    await sql(`create function go_away() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
    await sql(`create constraint trigger go_away after insert on ${table} deferrable
      initially deferred for each row execute function go_away()`)
    const answer = await send(contract, request)
    await sql('drop function go_away cascade')
    return answer
  }

  test('a bank debit is told as not known, and not as never made', async () => {
    const answer = await losing('attempt', chargeBankAccountContract)
    const { ErrCode, FunctionOk } = readAnswer(answer, chargeBankAccountContract.resultKey)
    assert.deepEqual([answer.status, ErrCode, FunctionOk], [200, 9003, false])
  })

  test('a link is told as failed, and not as never made', async () => {
    const answer = await losing('link', makeLinkContract)
    assert.equal(readAnswer(answer, makeLinkContract.resultKey).ErrCode, 9000)
  })

  // A question writes nothing that could fail at its commit, so something is made to.
  test('a question is told to be asked again', async () => {
    await sql('create table reader (x int)')
    await sql(`create function note() returns bool language plpgsql volatile as $$
      begin insert into reader values (1); return true; end $$`)
    await sql('alter table consent rename to consent_table')
    await sql('create view consent as select * from consent_table where note()')
    try {
      const answer = await losing('reader', queryAnnualConsentsContract, { Query: '(A=1)' })
      const { ErrCode } = readAnswer(answer, queryAnnualConsentsContract.resultKey)
      assert.deepEqual([answer.status, ErrCode], [503, 9001])
    } finally {
      await sql('drop view consent')
      await sql('alter table consent_table rename to consent')
      await sql('drop function note')
      await sql('drop table reader')
    }
  })

  test('a charge is told as never made: nothing is sent before its commit is confirmed', async () => {
    const answer = await losing('attempt', chargeCardContract)
    const { ErrCode } = readAnswer(answer, chargeCardContract.resultKey)
    assert.deepEqual([answer.status, ErrCode], [503, 9001])
  })
})
