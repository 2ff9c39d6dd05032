import { after, before } from 'node:test'
import pg from 'pg'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { type HttpAnswer, useGateway } from './in-process-gateway.ts'

// A gateway, somebody who is signed in, and a way to its database past it.
export function useGatewayAndDatabase() {
  const gateway = useGateway()
  let client: pg.Client
  let sessionKey = ''
  before(async () => {
    client = new pg.Client({ connectionString: gateway().databaseUrl })
    await client.connect()
    sessionKey = await gateway().signIn()
  })
  after(() => client.end())
  return {
    gateway,
    sql: (text: string) => client.query(text),
    send: ({ prefix, path }: ContractFacts, body: object, headers = {}): Promise<HttpAnswer> =>
      gateway().post(prefix + path, body, { SessKey: sessionKey, ...headers }),
  }
}
