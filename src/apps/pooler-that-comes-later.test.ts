import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInstallation } from '#apps/open-installation.ts'
import { startGateway } from '#apps/server.ts'
import { openLog } from '#platform/log.ts'
import { emptyPlace } from '../../test/support/empty-place.ts'
import { until } from '../../test/support/gateway-process.ts'
import { startPooler } from '../../test/support/pooler.ts'

// Somebody puts a connection pooler where PostgreSQL was, while the gateway runs.

type Line = { readonly msg: string; readonly error?: string; readonly err?: { readonly message: string } }
type Told = { readonly AuthenticateResult: { readonly ErrCode: number } }

const sentence = 'What answers at DATABASE_URL keeps our settings from PostgreSQL'

test('calls are refused, the gateway is not ready, and the log says why', async (t) => {
  const place = await emptyPlace(t)
  const pooler = await startPooler(t, /\/(test_\w+)/.exec(place.databaseUrl)?.[1] ?? '')
  const config = { ...place, databaseUrl: pooler.connection.connectionString }
  const lines: Line[] = []
  const log = openLog('warn', (line) => lines.push(JSON.parse(line)))
  const installation = await openInstallation({ config, role: 'gateway', log })
  const gateway = await startGateway({ config, log, installation })
  t.after(() => gateway.stop())
  const statusOf = async (path: string) => (await fetch(gateway.baseUrl + path)).status
  assert.equal(await statusOf('/ready'), 200)
  pooler.keepSettingsBack()
  const isTold = (text: string): boolean =>
    lines.some(({ msg, error, err }) => msg === text && (error ?? err?.message ?? '').startsWith(sentence))
  await until(() => isTold('The connection for notifications broke'), { what: 'the log says why' })
  assert.equal(await statusOf('/ready'), 503)
  const called = await fetch(`${gateway.baseUrl}/APIcardProcService/v1.0.0/Authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ AcctCode: 'TG0000001', Token: '0'.repeat(32) }),
  })
  const { AuthenticateResult }: Told = Object(await called.json())
  assert.equal(AuthenticateResult.ErrCode, 9001)
  assert(isTold('The database does not answer'))
})
