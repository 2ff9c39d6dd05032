import assert from 'node:assert/strict'
import { work } from '#apps/workers.ts'
import { readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'

// A worker that fails in a way that nobody has foreseen, once whoever started it has hung up where that is
// asked for.
if (process.env['IS_LEFT'] === 'yes') process.disconnect?.()
const config = readConfig({})
assert(!('problems' in config))
const broken = {
  ...config,
  get dataFolder(): string {
    throw new Error('The disk is on fire')
  },
}
await work({ config: broken, log: openLog('silent') })
