import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test, type TestContext } from 'node:test'

import { Client } from 'pg'

import { startMarkOf } from '#platform/process-start.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { isPostmasterOf, readPostmasterFile } from '#platform/postgres/postmaster.ts'
import { until } from '../../../test/support/gateway-process.ts'

const isRoot = process.geteuid?.() === 0
const rootOnly = { skip: isRoot ? false : 'needs root, because it is about running as root' }
const root = join(import.meta.dirname, '..', '..', '..')

// A gateway in miniature: starts the server, says how, stops it when its input ends.
const gateway = `
  import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
  const server = await startEmbeddedServer({ folder: process.argv[1] })
  console.log(JSON.stringify(server))
  process.stdin.resume().on('end', () => server.stop())
`
type Started = { readonly processId: number; readonly socketFolder: string; readonly adopted: boolean }
type Conditions = { readonly prefix?: readonly string[]; readonly path?: string }

const dropped =
  'dac_read_search linux_immutable net_broadcast net_admin ipc_lock ipc_owner sys_module sys_rawio ' +
  'sys_ptrace sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config lease ' +
  'audit_control mac_override mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf ' +
  'checkpoint_restore'
const inContainer = ['setpriv', `--bounding-set=-${dropped.replaceAll(' ', ',-')}`]
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

function startGateway(t: TestContext, folder: string, conditions: Conditions = {}) {
  const node = [process.execPath, '--input-type=module', '--eval', gateway, folder]
  const [file = '', ...args]: readonly string[] = [...(conditions.prefix ?? []), ...node]
  const env = { ...process.env, ...(conditions.path ? { PATH: conditions.path } : {}) }
  const child = spawn(file, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr.on('data', (text) => (complaints += String(text)))
  const ready = async (): Promise<Started> => {
    for await (const line of createInterface(child.stdout)) return JSON.parse(line)
    throw new Error(complaints)
  }
  const stop = async () => {
    child.stdin.end()
    await exited
    assert.equal(child.exitCode, 0, complaints)
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { processId: child.pid ?? 0, ready, stop, kill }
}

function makeFolder(t: TestContext): string {
  const parent = fs.mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  const folder = join(parent, 'postgres')
  t.after(async () => {
    const left = readPostmasterFile(join(folder, 'cluster'))
    if (left && isPostmasterOf(left.processId, join(folder, 'cluster'))) await killServer(left.processId)
    if (left && basename(left.socketFolder).startsWith('tillgate-')) {
      fs.rmSync(left.socketFolder, { recursive: true, force: true })
    }
    fs.rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  return folder
}

const setUpBefore = join(fs.mkdtempSync(join(tmpdir(), 'tillgate-test-')), 'postgres')
before(async () => {
  await (await startEmbeddedServer({ folder: setUpBefore })).stop()
})
after(() => fs.rmSync(join(setUpBefore, '..'), { recursive: true }))

// For what is not about the first start, which takes longer than all the rest.
function makeFolderAfterSetUp(t: TestContext): string {
  const folder = makeFolder(t)
  fs.cpSync(setUpBefore, folder, { recursive: true })
  return folder
}

async function killServer(processId: number) {
  process.kill(processId, 'SIGKILL')
  await until(() => startMarkOf(processId) === null, { what: 'the server is gone' })
}

async function ask(server: { readonly socketFolder: string }, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ host: server.socketFolder, user: 'tillgate', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, values: [...values], rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function leaveNote(server: { readonly socketFolder: string }) {
  await ask(server, `create table notes as select 'kept' as note`)
}

async function readNote(server: { readonly socketFolder: string }) {
  return ask(server, 'select note from notes')
}

test('sets up a private UTF-8 database with checksums, reachable only through its socket', async (t) => {
  const server = await startEmbeddedServer({ folder: makeFolder(t) })
  t.after(() => server.stop())
  const show = async (name: string) => (await ask(server, `show ${name}`))[0]
  assert.equal(server.adopted, false)
  assert.equal(await show('listen_addresses'), '')
  assert.equal(await show('data_checksums'), 'on')
  assert.equal(await show('server_encoding'), 'UTF8')
  const locale = await ask(server, 'select datlocprovider, datlocale from pg_database order by oid limit 1')
  assert.deepEqual(locale, ['b', 'C.UTF-8'])
  assert.equal(fs.statSync(server.socketFolder).mode & 0o777, 0o700)
})

test('keeps the data from stop to start, and leaves nothing running after a stop', async (t) => {
  const folder = makeFolderAfterSetUp(t)
  const first = await startEmbeddedServer({ folder })
  await leaveNote(first)
  await first.stop()
  assert.equal(startMarkOf(first.processId), null)
  assert.equal(fs.existsSync(first.socketFolder), false)
  const second = await startEmbeddedServer({ folder })
  assert.deepEqual(await readNote(second), ['kept'])
  assert.equal(second.socketFolder, first.socketFolder)
  await second.stop()
})

test('takes over the server that a killed gateway left running, and can stop it', async (t) => {
  const folder = makeFolderAfterSetUp(t)
  const killed = startGateway(t, folder)
  const left = await killed.ready()
  await leaveNote(left)
  await killed.kill()
  const server = await startEmbeddedServer({ folder })
  assert.equal(server.adopted, true)
  assert.equal(server.processId, left.processId)
  assert.deepEqual(await readNote(server), ['kept'])
  await server.stop()
  assert.equal(startMarkOf(left.processId), null)
})

for (const [circumstance, isReused] of [
  ['', false],
  [' and a stranger has got its process id', true],
] as const) {
  test(`recovers every row after the server itself was killed${circumstance}`, async (t) => {
    const folder = makeFolderAfterSetUp(t)
    const first = await startEmbeddedServer({ folder })
    await leaveNote(first)
    await killServer(first.processId)
    const stranger = spawn('sleep', ['60'])
    t.after(() => stranger.kill('SIGKILL'))
    const traces = [join(folder, 'cluster', 'postmaster.pid'), join(first.socketFolder, '.s.PGSQL.5432.lock')]
    for (const file of isReused ? traces : []) {
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\d+/, String(stranger.pid)))
    }
    const second = await startEmbeddedServer({ folder })
    assert.equal(second.adopted, false)
    assert.deepEqual(await readNote(second), ['kept'])
    await second.stop()
    assert.equal(stranger.exitCode ?? stranger.signalCode, null, 'the stranger is left alone')
  })
}

test('recovers while the killed server is still a zombie', async (t) => {
  const folder = makeFolderAfterSetUp(t)
  const hung = startGateway(t, folder)
  const left = await hung.ready()
  await leaveNote(left)
  process.kill(hung.processId, 'SIGSTOP')
  await killServer(left.processId)
  assert.doesNotThrow(() => process.kill(left.processId, 0), 'the zombie keeps its process id')
  const server = await startEmbeddedServer({ folder })
  assert.deepEqual(await readNote(server), ['kept'])
  await hung.kill()
  await server.stop()
})

test('begins anew when the first setup was killed half-way', async (t) => {
  const folder = makeFolder(t)
  const killed = startGateway(t, folder)
  const unfinished = () =>
    fs.existsSync(folder) && fs.readdirSync(folder).some((name) => name.includes('unfinished'))
  await until(unfinished, { what: 'the setup has begun' })
  await killed.kill()
  assert.equal(fs.existsSync(join(folder, 'cluster')), false)
  const server = await startEmbeddedServer({ folder })
  assert.deepEqual(await ask(server, 'select 1'), [1])
  await server.stop()
  assert.equal(unfinished(), false)
})

test('serves both of two gateways that start on the same folder at once', async (t) => {
  const folder = makeFolder(t)
  const starting = [startGateway(t, folder), startGateway(t, folder)]
  const started = await Promise.all(starting.map((one) => one.ready()))
  assert.equal(started[0]?.processId, started[1]?.processId)
  assert.equal(started.filter((one) => one.adopted).length, 1)
  await Promise.all(starting.map((one) => one.stop()))
})

test('quotes the server log when the server does not start', async (t) => {
  const folder = makeFolderAfterSetUp(t)
  const start = startEmbeddedServer({ folder, settings: { shared_buffers: 'plenty' } })
  await assert.rejects(
    start,
    /server\.log ends with:[^]*invalid value for parameter "shared_buffers": "plenty"/,
  )
})

test('keeps values out of the server log', async (t) => {
  const folder = makeFolderAfterSetUp(t)
  const server = await startEmbeddedServer({ folder, settings: { log_statement: 'all' } })
  await ask(server, 'create table cards (number text primary key)')
  const insert = async () => ask(server, 'insert into cards values ($1)', ['4111111111111111'])
  await insert()
  await assert.rejects(insert, /duplicate key/)
  await server.stop()
  const log = fs.readFileSync(join(folder, 'server.log'), 'utf8')
  assert.match(log, /duplicate key/)
  assert.doesNotMatch(log, /41111111/)
})

// A folder whose `unshare` fails, put in front of the others, stands for a system without user namespaces.
function pathWithoutNamespaces(t: TestContext): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(join(folder, 'unshare'), '#!/bin/sh\necho "unshare failed: not permitted" >&2\nexit 1\n', {
    mode: 0o755,
  })
  return `${folder}:${process.env['PATH']}`
}

test('runs for root with and without user namespaces, changing over with all rows', rootOnly, async (t) => {
  const folder = makeFolder(t)
  const container = { prefix: inContainer, path: pathWithoutNamespaces(t) }
  for (const [round, conditions] of [{}, container, {}, container].entries()) {
    const one = startGateway(t, folder, conditions)
    const server = await one.ready()
    if (round === 0) await leaveNote(server)
    assert.deepEqual(await readNote(server), ['kept'])
    assert.equal(fs.statSync(join(folder, 'cluster', 'base')).uid, conditions === container ? 65534 : 0)
    await one.stop()
    assert.equal(startMarkOf(server.processId), null)
  }
})

test('takes over and recovers in a container without user namespaces', rootOnly, async (t) => {
  const folder = makeFolder(t)
  const container = { prefix: inContainer, path: pathWithoutNamespaces(t) }
  const first = startGateway(t, folder, container)
  const left = await first.ready()
  await leaveNote(left)
  await first.kill()
  const second = startGateway(t, folder, container)
  assert.equal((await second.ready()).processId, left.processId)
  await killServer(left.processId)
  await second.kill()
  const third = startGateway(t, folder, container)
  assert.deepEqual(await readNote(await third.ready()), ['kept'])
  await third.stop()
})

test("runs for root in another user's closed folder", rootOnly, async (t) => {
  const folder = makeFolder(t)
  fs.mkdirSync(folder, { mode: 0o700 })
  for (const path of [folder, join(folder, '..')]) fs.chownSync(path, 12345, 12345)
  const server = await startEmbeddedServer({ folder })
  assert.deepEqual(await ask(server, 'select 1'), [1])
  await server.stop()
})

test('says what root can do when the system allows neither way', rootOnly, async (t) => {
  const prefix = ['setpriv', '--bounding-set=-setuid,-setgid,-setpcap']
  const one = startGateway(t, makeFolder(t), { prefix, path: pathWithoutNamespaces(t) })
  await assert.rejects(one.ready(), /run Tillgate as an ordinary user, or set DATABASE_URL/)
})

test('runs for an ordinary user whose installation belongs to root', rootOnly, async (t) => {
  const folder = makeFolder(t)
  fs.chownSync(join(folder, '..'), 65534, 65534)
  const one = startGateway(t, folder, { prefix: asNobody })
  const server = await one.ready()
  assert.equal(fs.statSync(join(folder, 'cluster')).uid, 65534)
  await leaveNote(server)
  await one.stop()
})
