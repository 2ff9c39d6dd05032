import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const bench = join(import.meta.dirname, '../../bench/run.ts')

// Whatever the figures are: they belong to the machine. The money checks inside decide whether it passes.
test('the benchmark runs from end to end, and its last lines are the two ratios', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-smoke-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'results.json')
  const args = [bench, '--smoke', '--driver', '--json', file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  const [naive = '', folded = ''] = stdout.trimEnd().split('\n').slice(-2)
  assert.match(naive, /^charges ÷ driver naive: \d+\.\d\d \(proves nothing/)
  assert.match(folded, /^charges ÷ driver folded: \d+\.\d\d \(proves nothing/)
  const results = JSON.parse(readFileSync(file, 'utf8')) as { outcomes: { name: string; failure: null }[] }
  assert.deepEqual(
    results.outcomes.map(({ name }) => name),
    ['start-up', 'charges', 'latency', 'hostile', 'authenticate', 'schedules', 'orders', 'transactions'],
  )
  assert.ok(results.outcomes.every(({ failure }) => failure === null))
})
