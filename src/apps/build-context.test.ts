import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildContext } from '#apps/build-context.ts'
import type { Installation } from '#apps/installation.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { accountId } from '#kernel/ids.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'

const log = openLog('silent')
const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
let config: Config
let installation: Installation

before(async () => {
  const read = readConfig({ DATA_DIR: folder })
  assert(!('problems' in read))
  config = read
  installation = await openInstallation({ config, role: 'gateway', log })
})

after(async () => {
  await installation.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const { who, isWorker, sizes } of [
  {
    who: 'are read by half of them in a gateway alone, but 16 at least',
    isWorker: false,
    sizes: [20, 16, 4],
  },
  { who: 'are read at once in a worker', isWorker: true, sizes: [40] },
]) {
  test(`the consents of 40 callers ${who}`, async () => {
    const read: number[] = []
    const { batchDb } = installation
    const watched: Installation['batchDb'] = {
      ...batchDb,
      run: (statement, values) => {
        read.push(Array.from(Object(values[0])).length)
        return batchDb.run(statement, values)
      },
    }
    const parts = { config, log, installation: { ...installation, batchDb: watched } }
    const { consentReads } = await buildContext({ ...parts, sending: { hold: null }, isWorker })
    const keys = Array.from({ length: 40 }, (_, at) => ({
      accountId: accountId(1n),
      consentId: consentId(BigInt(at + 1)),
    }))
    const found = await Promise.all(keys.map((key) => consentReads.add(key)))
    assert.deepEqual(new Set(found), new Set([null]))
    assert.deepEqual(read, sizes)
  })
}
