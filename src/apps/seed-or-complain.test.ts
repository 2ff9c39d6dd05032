import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { type Gateway, startGateway } from '#apps/server.ts'
import type { Config } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { emptyPlace } from '../../test/support/empty-place.ts'
import { readAnswer } from '../../test/contract/envelope.ts'
import { useGateway } from '../../test/support/in-process-gateway.ts'

const outcomeUnknown = 9003

describe('a first start with a bank that takes as long as it may be told to', () => {
  // Payments give up on the bank after two seconds.
  const gateway = useGateway({ TILLGATE_BANK_DELAY_MS: '60000', TILLGATE_PATIENCE_PERCENT: '10' })

  test('has its demo things at once, while payments wait for the bank', async () => {
    assert(Object.values(gateway().orders).every((id) => id !== ''))
    const { prefix, path, resultKey, example } = chargeCardContract
    const answer = await gateway().post(prefix + path, example.request, { SessKey: await gateway().signIn() })
    const { ErrCode } = readAnswer(answer, resultKey)
    assert.equal(ErrCode, outcomeUnknown)
  })
})

test('a data folder that has seen another database is told of in words', async (t) => {
  const log = openLog('silent')
  const start = async (config: Config): Promise<Gateway> =>
    startGateway({ config, log, installation: await openInstallation({ config, role: 'gateway', log }) })
  const config = await emptyPlace(t)
  const first = await start(config)
  await first.stop()
  const { databaseUrl } = await emptyPlace(t)
  await assert.rejects(start({ ...config, databaseUrl }), {
    name: 'Complaint',
    message: /^This node is paused, .*lacks payments or batches .*\(tillgate resume .*\) and start again\.$/,
  })
})
