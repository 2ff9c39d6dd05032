import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { coresIn, keepOnCore, usableCores } from '#platform/processor-cores.ts'

const lists = [
  ['0', [0]],
  ['0-1', [0, 1]],
  ['1,3', [1, 3]],
  ['0-2,8,10-11', [0, 1, 2, 8, 10, 11]],
] as const

for (const [list, cores] of lists) {
  test(`the cores ${list} are ${cores.join(', ')}`, () => {
    assert.deepEqual(
      coresIn(`Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nThreads:\t11\n`),
      cores,
    )
  })
}

test('a system that tells no cores, or in another way, has none that could be chosen', () => {
  assert.deepEqual(coresIn(''), [])
  assert.deepEqual(coresIn('Cpus_allowed_list:\t\n'), [])
  assert.deepEqual(coresIn('Cpus_allowed_list:\tall\n'), [])
})

test('a process stays on the core that it was given', async (t) => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  t.after(() => child.kill())
  await once(child, 'spawn')
  const [core] = usableCores().toReversed()
  assert.ok(core !== undefined && child.pid !== undefined)
  assert.deepEqual(await keepOnCore(child.pid, core), { failure: null })
  assert.deepEqual(coresIn(readFileSync(`/proc/${child.pid}/status`, 'utf8')), [core])
})

test('a process that is not there is on no core, and that is told', async () => {
  const beyondAll = 2 ** 22 + 1
  assert.match((await keepOnCore(beyondAll, 0)).failure ?? '', /\S/)
})
