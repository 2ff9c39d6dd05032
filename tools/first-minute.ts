import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { describeSettings } from '#platform/config.ts'

// The first minute of a newcomer, with a stopwatch: clones the project into an empty folder, runs the two
// commands of the README, makes the first call with what was printed, and does the same again with a second
// start. Exits with status 1 when a limit is broken. It needs the package registry, so it is not one of the
// tests.
//
//   node bin/node26.cjs tools/first-minute.ts [--source FOLDER]
//
// --source clones the repository in FOLDER in place of the one this file is in. Only what is committed is
// cloned.

type Figure = {
  readonly what: string
  readonly value: number
  readonly unit: 's' | 'MB'
  readonly limit: number | null
}
type Gateway = { readonly npm: ChildProcess; readonly secondsToAnswer: number }

const patienceMs = 60_000
const settleMs = 3_000
const pollMs = 10

async function measure(source: string): Promise<readonly Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'tillgate-first-minute-'))
  const clone = join(home, 'tillgate')
  try {
    run('git', ['clone', '--quiet', source, clone], home)
    const installSeconds = run('npm', ['ci'], clone)
    const first = await startAndCall(clone)
    await stop(first, clone)
    const second = await startAndCall(clone)
    await delay(settleMs)
    const memory = residentMegabytes(gatewayIdIn(clone))
    await stop(second, clone)
    return [
      { what: 'npm ci', value: installSeconds, unit: 's', limit: null },
      { what: 'npm start to the first answer', value: first.secondsToAnswer, unit: 's', limit: 10 },
      { what: 'the same, second start', value: second.secondsToAnswer, unit: 's', limit: 3 },
      ...(memory === null
        ? []
        : [{ what: 'resident memory, idle', value: memory, unit: 'MB' as const, limit: 150 }]),
    ]
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

function run(program: string, args: readonly string[], cwd: string): number {
  const began = performance.now()
  const { status, stderr, error } = spawnSync(program, args, { cwd, env: environment(), encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`)
  return secondsSince(began)
}

// A newcomer has neither our settings nor our programs in the path.
function environment(): NodeJS.ProcessEnv {
  const settings = describeSettings().map(({ name }) => name)
  const kept = Object.entries(process.env).filter(([name]) => !settings.includes(name))
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) }
}

async function startAndCall(clone: string): Promise<Gateway> {
  const began = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...environment(), PORT: '0' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const greeting = await readGreeting(npm)
    await callAuthenticate(greeting)
    return { npm, secondsToAnswer: secondsSince(began) }
  } catch (error) {
    await stop({ npm }, clone)
    throw error
  }
}

// Where nobody looks at the standard output, it is on the other one.
async function readGreeting({ stderr }: ChildProcess): Promise<string> {
  let printed = ''
  if (!stderr) throw new Error('npm start has no output')
  const reading = async (): Promise<string> => {
    for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
      printed += String(chunk)
      if (printed.includes('Ctrl-C stops it.')) return printed
    }
    throw new Error(`npm start ended early:\n${printed}`)
  }
  const late = delay(patienceMs, null, { ref: false }).then(() => {
    throw new Error(`Nothing was ready after ${patienceMs / 1_000} s:\n${printed}`)
  })
  const greeting = await Promise.race([reading(), late])
  // Whoever does not read on would hold the gateway up once the pipe is full.
  stderr.resume()
  return greeting
}

async function callAuthenticate(greeting: string): Promise<void> {
  const address = /curl -s (\S+)/.exec(greeting)?.[1]
  const body = /-d '(.*)'/.exec(greeting)?.[1]
  if (address === undefined || body === undefined) throw new Error(`No first call in:\n${greeting}`)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body })
  const text = await answer.text()
  if (!text.includes('"AuthSuccess":true')) throw new Error(`The first call was refused: ${text}`)
}

// The launcher may stand between npm and the gateway, so the gateway is told itself.
async function stop({ npm }: Pick<Gateway, 'npm'>, clone: string): Promise<void> {
  const hasEnded = npm.exitCode === null && npm.signalCode === null ? once(npm, 'exit') : null
  const gatewayId = gatewayIdIn(clone)
  if (gatewayId !== null) process.kill(gatewayId, 'SIGTERM')
  else if (hasEnded && npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM')
  await hasEnded
  const giveUpAt = performance.now() + patienceMs
  while (gatewayIdIn(clone) !== null && performance.now() < giveUpAt) await delay(pollMs)
}

function gatewayIdIn(clone: string): number | null {
  const file = join(clone, 'data', 'tillgate.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : null
}

// Only Linux tells it in a file.
function residentMegabytes(processId: number | null): number | null {
  const file = `/proc/${processId}/status`
  if (processId === null || !existsSync(file)) return null
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]
  return kilobytes === undefined ? null : (Number(kilobytes) * 1_024) / 1_000_000
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1_000
}

function isBroken({ value, limit }: Figure): boolean {
  return limit !== null && value > limit
}

function print(figure: Figure): void {
  const { what, value, unit, limit } = figure
  const judged = limit === null ? '' : `limit ${limit} ${unit}${isBroken(figure) ? '  BROKEN' : ''}`
  console.log(`${what.padEnd(32)}${`${value.toFixed(1)} ${unit}`.padStart(10)}   ${judged}`.trimEnd())
}

const { values } = parseArgs({ options: { source: { type: 'string' } } })
const figures = await measure(values.source ?? join(import.meta.dirname, '..'))
for (const figure of figures) print(figure)
process.exitCode = figures.some(isBroken) ? 1 : 0
