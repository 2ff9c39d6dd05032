import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openInstallation } from '#apps/open-installation.ts'
import { startGateway } from '#apps/server.ts'
import { readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { authenticatePath } from '../support/in-process-gateway.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { readAnswer } from './envelope.ts'

const database = useTestDatabase()

// Node.js tells here that the head of a request was read, in the turn in which it was.
const arrival = 'http.server.request.start'

test('a call that has arrived when a stop begins is served like any other', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-stop-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const config = readConfig({ PORT: '0', DATABASE_URL: database().url, DATA_DIR: folder })
  assert(!('problems' in config))
  const log = openLog('silent')
  const installation = await openInstallation({ config, role: 'gateway', log })
  const gateway = await startGateway({ config, log, installation })
  const stopped = Promise.withResolvers<void>()
  const stop = (): void => {
    unsubscribe(arrival, stop)
    stopped.resolve(gateway.stop())
  }
  subscribe(arrival, stop)
  const { sandbox } = gateway
  const answer = await fetch(`${gateway.baseUrl}${authenticatePath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ AcctCode: sandbox?.accountCode, Token: sandbox?.token.reveal() }),
  })
  await stopped.promise
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('connection'), 'close')
  const result = readAnswer(
    { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() },
    'AuthenticateResult',
  )
  assert.equal(result.ErrCode, 0)
})
