import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { readPostmasterFile } from '#platform/postgres/postmaster.ts'
import { type Home, isRunning, openHome } from '../support/gateway-process.ts'

const root = join(import.meta.dirname, '../..')

test('the commands of the greeting run as they are printed, on any port and in any folder', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  const [, commands = ''] = /^Your first call(.*)^ {2}API reference/ms.exec(gateway.output()) ?? []
  const script = commands.split('\n').filter((line) => line.startsWith('  '))
  assert.match(script.join('\n'), /Authenticate.*ChargeStoredCard/s)
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', '-c', script.join('\n')], {
    cwd: home.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  })
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^[0-9a-f]{64}\n\{.*"FunctionOk":true.*APPROVED/s)
})

test('SIGTERM to npm start stops the gateway and its PostgreSQL, and npm ends after them', async (t) => {
  const home = openHome(t)
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: environment(home),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(npm, 'exit')
  await untilReady(npm.stderr)
  const gatewayId = endsWith(t, Number.parseInt(readFileSync(join(home.dataFolder, 'tillgate.pid'), 'utf8')))
  const cluster = join(home.dataFolder, 'postgres', 'cluster')
  const postgresId = endsWith(t, readPostmasterFile(cluster)?.processId ?? 0)
  assert(isRunning(gatewayId) && isRunning(postgresId))
  npm.kill('SIGTERM')
  await ended
  assert.deepEqual([isRunning(gatewayId), isRunning(postgresId)], [false, false])
})

function environment({ dataFolder, folder }: Home): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  const quiet = { npm_config_update_notifier: 'false', TILLGATE_LOOP_DELAY_MS: '60000' }
  return { PATH, HOME, TMPDIR: join(folder, 'tmp'), DATA_DIR: dataFolder, PORT: '0', ...quiet }
}

async function untilReady(output: Readable): Promise<void> {
  let printed = ''
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    if (printed.includes('Ctrl-C stops it.')) return void output.resume()
  }
  throw new Error(`npm start ended early:\n${printed}`)
}

// What a test that failed would leave.
function endsWith(t: TestContext, processId: number): number {
  t.after(() => void (isRunning(processId) && process.kill(processId, 'SIGQUIT')))
  return processId
}
