import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

// Makes the Node.js that runs this test pass for an old one, which cannot replace itself by another program.
const oldNode = `
  Object.defineProperty(process.versions, 'node', { value: '20.1.0' })
  process.execve = undefined
`

// Says what it is told, and ends at SIGTERM.
const child = `
  let interrupts = 0
  process.on('SIGINT', () => {
    console.log('interrupt ' + ++interrupts)
  })
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => {}, 1000)
  console.log('child ' + process.pid)
`

function makeFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillgate-test-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'old-node.cjs'), oldNode)
  return folder
}

function launch(t: TestContext, args: readonly string[], detached = false) {
  const launcher = spawn(process.execPath, args, { detached, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => launcher.kill('SIGKILL'))
  const closed = once(launcher, 'close')
  let complaints = ''
  launcher.stderr.on('data', (text) => (complaints += String(text)))
  const lines = createInterface(launcher.stdout)[Symbol.asyncIterator]()
  return {
    processId: launcher.pid ?? 0,
    nextLine: async () => String((await lines.next()).value),
    end: async () => {
      await closed
      return { code: launcher.exitCode, signal: launcher.signalCode, complaints }
    },
  }
}

function launchChild(t: TestContext, kind: 'new' | 'old') {
  const folder = makeFolder(t)
  const preload = kind === 'old' ? ['--require', join(folder, 'old-node.cjs')] : []
  // The installed launcher, so that the bundled Node.js is found.
  const run = launch(t, [...preload, join(root, 'bin', 'node26.cjs'), '--eval', child], true)
  const childId = async () => {
    const processId = Number((await run.nextLine()).split(' ')[1])
    t.after(() => endIfRunning(processId))
    return processId
  }
  return { ...run, childId }
}

function endIfRunning(processId: number) {
  try {
    process.kill(processId, 'SIGKILL')
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

test('an old Node.js without the bundled one gets two lines: what is wrong and what to do', async (t) => {
  const folder = makeFolder(t)
  const run = launch(t, [
    '--require',
    join(folder, 'old-node.cjs'),
    join(folder, 'bin', 'node26.cjs'),
    'x.ts',
  ])
  const { code, complaints } = await run.end()
  assert.equal(code, 1)
  assert.match(
    complaints,
    /^Tillgate needs Node\.js 26 or newer, this is 20\.1\.0.*\nRun "npm ci.*nodejs\.org\n$/,
  )
})

for (const program of ['tillgate.cjs', 'node26.cjs', 'refuse-windows.cjs'])
  test(`on Windows the first line of ${program} says that WSL 2 is needed`, async (t) => {
    const folder = makeFolder(t)
    const fake = "Object.defineProperty(process, 'platform', { value: 'win32' })"
    writeFileSync(join(folder, 'windows.cjs'), fake)
    const words = ['--require', join(folder, 'windows.cjs'), join(folder, 'bin', program), 'start']
    const { code, complaints } = await launch(t, words).end()
    assert.equal(code, 1)
    assert.match(complaints, /^On Windows Tillgate needs WSL 2: .*\n.*windows\/wsl\/install\n$/)
  })

test('the command runs the application with the arguments given', async (t) => {
  const folder = makeFolder(t)
  mkdirSync(join(folder, 'src', 'apps'), { recursive: true })
  const main = `const args: readonly string[] = process.argv.slice(2)\nconsole.log(JSON.stringify(args))\n`
  writeFileSync(join(folder, 'src', 'apps', 'main.ts'), main)
  const run = launch(t, [join(folder, 'bin', 'tillgate.cjs'), 'start', '--port', '80 80'])
  assert.equal(await run.nextLine(), '["start","--port","80 80"]')
  assert.deepEqual(await run.end(), { code: 0, signal: null, complaints: '' })
})

for (const [said, taken] of [
  ['nothing', '65536'],
  ['262144', '262144'],
] as const) {
  test(`memory is mapped in pieces of its own from a fixed size on: ${said} set, so ${taken}`, async (t) => {
    const folder = makeFolder(t)
    mkdirSync(join(folder, 'src', 'apps'), { recursive: true })
    const name = 'MALLOC_MMAP_THRESHOLD_'
    writeFileSync(join(folder, 'src', 'apps', 'main.ts'), `console.log(process.env['${name}'])\n`)
    const saying = said === 'nothing' ? `delete process.env.${name}` : `process.env.${name} = '${said}'`
    writeFileSync(join(folder, 'saying.cjs'), saying)
    const run = launch(t, ['--require', join(folder, 'saying.cjs'), join(folder, 'bin', 'tillgate.cjs')])
    assert.equal(await run.nextLine(), taken)
    assert.equal((await run.end()).code, 0)
  })
}

for (const kind of ['new', 'old'] as const) {
  test(`started by ${kind} Node.js, a stop reaches the gateway and its exit code comes back`, async (t) => {
    const run = launchChild(t, kind)
    const processId = await run.childId()
    assert.equal(processId === run.processId, kind === 'new', 'a new Node.js is replaced, not kept waiting')
    process.kill(run.processId, 'SIGTERM')
    assert.deepEqual(await run.end(), { code: 7, signal: null, complaints: '' })
  })

  test(`started by ${kind} Node.js, one Ctrl-C is one interrupt`, async (t) => {
    const run = launchChild(t, kind)
    await run.childId()
    // What a terminal does: everything in the launcher's process group is told.
    process.kill(-run.processId, 'SIGINT')
    assert.equal(await run.nextLine(), 'interrupt 1')
    process.kill(run.processId, 'SIGTERM')
    assert.equal(await run.nextLine(), 'undefined', 'nothing after the first interrupt')
    assert.equal((await run.end()).code, 7)
  })
}

test('started by old Node.js, the launcher opens no debugger on SIGUSR1', async (t) => {
  const run = launchChild(t, 'old')
  await run.childId()
  process.kill(run.processId, 'SIGUSR1')
  process.kill(run.processId, 'SIGTERM')
  assert.deepEqual(await run.end(), { code: 7, signal: null, complaints: '' })
})

test('started by old Node.js, a Ctrl-C that npm passes on as well is still one interrupt', async (t) => {
  const run = launchChild(t, 'old')
  await run.childId()
  process.kill(run.processId, 'SIGINT')
  assert.equal(await run.nextLine(), 'interrupt 1')
  process.kill(run.processId, 'SIGINT')
  process.kill(run.processId, 'SIGTERM')
  assert.equal(await run.nextLine(), 'undefined', 'nothing after the first interrupt')
  assert.equal((await run.end()).code, 7)
})

test('started by old Node.js, the launcher ends by the signal that ended the gateway', async (t) => {
  const run = launchChild(t, 'old')
  process.kill(await run.childId(), 'SIGKILL')
  assert.equal((await run.end()).signal, 'SIGKILL')
})
