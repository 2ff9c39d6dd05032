import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { allowedCores, coresIn, keepOnCore, usableCores } from '#platform/processor-cores.ts'
import { readCores, whereCoresAreChosen } from '../../test/support/cores.ts'

const lists = [
  ['0', [0]],
  ['0-1\n', [0, 1]],
  ['1,3', [1, 3]],
  ['0-2,8,10-11', [0, 1, 2, 8, 10, 11]],
  ['', []],
  ['all', []],
  ['1-', []],
] as const

for (const [list, cores] of lists) {
  test(`the list ${JSON.stringify(list)} names the cores [${cores.join(', ')}]`, () => {
    assert.deepEqual(coresIn(list), cores)
  })
}

test('the status of a process tells the cores that it may use', () => {
  assert.deepEqual(
    allowedCores('Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t0-1,4\nThreads:\t11\n'),
    [0, 1, 4],
  )
  assert.deepEqual(allowedCores('Name:\tnode\n'), [])
})

test('a process stays on the core that it was given', whereCoresAreChosen, async (t) => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  t.after(() => child.kill())
  await once(child, 'spawn')
  const [core] = usableCores().toReversed()
  assert.ok(core !== undefined && child.pid !== undefined)
  assert.deepEqual(await keepOnCore(child.pid, core), { failure: null })
  assert.equal(readCores(child.pid).main, String(core))
})

test('a process that is not there is on no core, and that is told', async () => {
  const beyondAll = 2 ** 22 + 1
  assert.match((await keepOnCore(beyondAll, 0)).failure ?? '', /\S/)
})
