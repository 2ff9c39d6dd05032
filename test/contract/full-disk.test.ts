import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { until } from '../support/gateway-process.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

// What PostgreSQL says when a table cannot grow any more.
const fullDisk = `create function full_disk() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file' using errcode = '53100'; end $$`

describe('while the disk of the database is full', () => {
  const gateway = useGateway({ TILLGATE_PATIENCE_PERCENT: '10' })
  let client: pg.Client
  let sessionKey = ''
  before(async () => {
    client = new pg.Client({ connectionString: gateway().databaseUrl })
    await client.connect()
    await client.query(fullDisk)
    sessionKey = await gateway().signIn()
  })
  after(() => client.end())

  const send = ({ prefix, path }: ContractFacts, body: object, headers = {}): Promise<HttpAnswer> =>
    gateway().post(prefix + path, body, { SessKey: sessionKey, ...headers })

  const charge = (reference: string) =>
    send(
      chargeCardContract,
      { ...chargeCardContract.example.request, PurchItems: { ClientRefID: reference } },
      { 'Idempotency-Key': reference },
    )

  async function statesUnder(RefID: string): Promise<readonly string[]> {
    const found = readAnswer(await send(lookUpOperationContract, { RefID }), 'Operation_LookupResult')
    return (found['Operations'] as readonly { State: string }[]).map(({ State }) => State)
  }

  async function fullFor(event: string): Promise<void> {
    await client.query(`create trigger full_disk before ${event} on attempt for each row
      execute function full_disk()`)
  }

  const makeRoom = () => client.query('drop trigger full_disk on attempt')

  test('a charge that cannot be recorded is not sent, and may be tried again', async () => {
    await fullFor('insert')
    const refused = await charge('before')
    await makeRoom()
    const [key = ''] = Object.keys(JSON.parse(refused.text))
    assert.deepEqual([refused.status, readAnswer(refused, key).ErrCode], [503, 9001])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.deepEqual(await statesUnder('before'), [])
    assert.equal(readAnswer(await charge('before'), key)['TxApproved'], true)
  })

  test('a charge whose outcome cannot be recorded is told as unknown, and found out later', async () => {
    await fullFor('update')
    const answer = await charge('after')
    await makeRoom()
    const [key = ''] = Object.keys(JSON.parse(answer.text))
    const { ErrCode, TxID } = readAnswer(answer, key)
    assert.notEqual(ErrCode, 9001, 'nobody is told that nothing was done')
    assert.ok(Number(TxID) > 0)
    assert.deepEqual(await statesUnder('after'), ['unknown'])
    const isFound = async () => (await statesUnder('after'))[0] === 'approved'
    await until(isFound, { what: 'the outcome is found out' })
  })
})
