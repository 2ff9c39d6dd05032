import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'

import { openDataFolder, type Role } from '#platform/data-folder.ts'

const root = join(import.meta.dirname, '..', '..')

// Opens the folder, says how that went, and releases it when its input ends.
const holder = `
  import { openDataFolder } from '#platform/data-folder.ts'
  const [folder, role] = process.argv.slice(1)
  const opened = await openDataFolder(folder, { role })
  console.log(JSON.stringify(opened))
  process.stdin.resume().on('end', () => opened.release?.())
`

type Answer = { readonly kind: string; readonly processId?: number; readonly role?: Role }

function startHolder(t: TestContext, folder: string, role: Role) {
  const args = ['--input-type=module', '--eval', holder, folder, role]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const answer = async (): Promise<Answer> => {
    for await (const line of createInterface(child.stdout)) return JSON.parse(line)
    throw new Error('ended without an answer')
  }
  const end = async (how: 'release' | 'kill') => {
    if (how === 'kill') child.kill('SIGKILL')
    else child.stdin.end()
    await exited
  }
  return { processId: child.pid, answer, end }
}

function makeFolder(t: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'deep', 'data')
}

// As left by a process that has ended and whose process id is now that of this one.
function lockOfTheDead(nonceDigit: string): string {
  return `${process.pid}\ngateway\nearlier\n${nonceDigit.repeat(24)}\n`
}

async function open(folder: string, role: Role = 'gateway') {
  const opened = await openDataFolder(folder, { role })
  assert.equal(opened.kind, 'opened')
  assert.ok(opened.kind === 'opened')
  return opened
}

test('makes the data folder for its owner alone, and leaves no lock behind', async (t) => {
  const folder = makeFolder(t)
  const opened = await open(folder)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(folder), ['tillgate.pid'])
  assert.equal(readFileSync(join(folder, 'tillgate.pid'), 'utf8').split('\n')[0], String(process.pid))
  opened.release()
  opened.release()
  assert.deepEqual(readdirSync(folder), [])
})

for (const role of ['gateway', 'command'] as const) {
  test(`a gateway is told which ${role} is using the folder`, async (t) => {
    const folder = makeFolder(t)
    const other = startHolder(t, folder, role)
    await other.answer()
    const refused = await openDataFolder(folder, { role: 'gateway' })
    assert.deepEqual(refused, { kind: 'in_use', processId: other.processId, role })
    await other.end('release')
    const opened = await open(folder)
    opened.release()
  })
}

test('a command is told at once that a gateway is using the folder', async (t) => {
  const folder = makeFolder(t)
  const opened = await open(folder)
  const refused = await openDataFolder(folder, { role: 'command' })
  assert.deepEqual(refused, { kind: 'in_use', processId: process.pid, role: 'gateway' })
  opened.release()
})

test('a command waits for another command to finish', async (t) => {
  const folder = makeFolder(t)
  const other = startHolder(t, folder, 'command')
  await other.answer()
  let isOpen = false
  const opening = open(folder, 'command').then((opened) => {
    isOpen = true
    return opened
  })
  // Longer than a gateway would have waited.
  await openDataFolder(folder, { role: 'gateway' })
  assert.equal(isOpen, false)
  await other.end('release')
  const opened = await opening
  opened.release()
})

test('opens at once after the last owner was killed', async (t) => {
  const folder = makeFolder(t)
  const killed = startHolder(t, folder, 'gateway')
  await killed.answer()
  await killed.end('kill')
  const opened = await open(folder)
  opened.release()
})

for (const [what, text] of [
  ['a living stranger that got the process id of the last owner', lockOfTheDead('0')],
  ['a lock file cut short by a power failure', ''],
] as const) {
  test(`is not kept out by ${what}`, async (t) => {
    const folder = makeFolder(t)
    const first = await open(folder)
    first.release()
    writeFileSync(join(folder, 'tillgate.pid'), text)
    const opened = await open(folder)
    assert.deepEqual(readdirSync(folder), ['tillgate.pid'])
    opened.release()
  })
}

test('goes to exactly one of many that start at once after an owner and its heir were killed', async (t) => {
  const folder = makeFolder(t)
  const first = await open(folder)
  first.release()
  writeFileSync(join(folder, 'tillgate.pid'), lockOfTheDead('a'))
  writeFileSync(join(folder, `tillgate.pid.${'a'.repeat(24)}`), lockOfTheDead('b'))
  const starters = Array.from({ length: 8 }, () => startHolder(t, folder, 'gateway'))
  const answers = await Promise.all(starters.map((one) => one.answer()))
  const owners = starters.filter((_, at) => answers[at]?.kind === 'opened')
  assert.equal(owners.length, 1)
  const refused = answers.filter((answer) => answer.kind === 'in_use')
  assert.deepEqual(new Set(refused.map((answer) => answer.processId)), new Set([owners[0]?.processId]))
  assert.deepEqual(readdirSync(folder), ['tillgate.pid'])
  await Promise.all(starters.map((one) => one.end('release')))
})

test('a folder held in another container is not taken while its holder lives', async (t) => {
  const folder = makeFolder(t)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'tillgate.pid')
  const elsewhere = `${process.pid}\ngateway\nsome-boot:1\n${'ab'.repeat(12)}\npid:[1]\n`
  writeFileSync(path, elsewhere)
  const touching = setInterval(() => utimesSync(path, new Date(), new Date()), 500)
  t.after(() => clearInterval(touching))
  const refused = await openDataFolder(folder, { role: 'gateway' })
  assert.equal(refused.kind, 'in_use')
  clearInterval(touching)
  const old = new Date(Date.now() - 60_000)
  utimesSync(path, old, old)
  const opened = await open(folder)
  opened.release()
})
