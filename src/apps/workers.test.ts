import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const brokenWorker = fileURLToPath(import.meta.resolve('../../test/support/broken-worker.ts'))

test('a worker that fails in an unforeseen way says so and ends', async () => {
  cluster.setupPrimary({ exec: brokenWorker, execArgv: [] })
  const worker = cluster.fork()
  const ended = once(worker, 'exit')
  assert.deepEqual(await once(worker, 'message'), [
    { kind: 'refused', problem: 'The disk is on fire' },
    undefined,
  ])
  await ended
})

test('a worker whose first process was killed while it started ends without a crash', async () => {
  cluster.setupPrimary({ exec: brokenWorker, execArgv: [], silent: true })
  const worker = cluster.fork({ IS_LEFT: 'yes' })
  const said: string[] = []
  worker.process.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await once(worker.process, 'close')
  assert.equal(said.join(''), '')
})
