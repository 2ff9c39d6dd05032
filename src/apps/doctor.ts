import { existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Complaint } from '#apps/complaint.ts'
import { nodeFileOf } from '#apps/build-context.ts'
import { probePort } from '#apps/listening.ts'
import type { Installation } from '#apps/installation.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { MigrationsWait } from '#apps/open-on-server.ts'
import { KeysComplaint } from '#apps/open-keys.ts'
import { tellUnanswered } from '#apps/tell-unanswered.ts'
import { readMessageBacklog } from '#capabilities/messages/show-messages.operation.ts'
import { findRejectedBatches } from '#capabilities/settlement/show-batches.operation.ts'
import { alarmsFor, unknownSeconds } from '#engine/payments/backlog.ts'
import { scaledPatience } from '#engine/payments/payment-needs.ts'
import { readBacklog } from '#engine/payments/watch-backlog.operation.ts'
import { isMarkNoted, judgeDatabase } from '#engine/restore-guard/check-database.operation.ts'
import { unnoted } from '#engine/restore-guard/sending.ts'
import type { Config } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { checkDatabase } from '#platform/postgres/check-database.ts'
import { connectionsBesidePool } from '#platform/postgres/connection.ts'
import { findWeakSettings } from '#platform/postgres/weak-settings.ts'
import { countTasks } from '#platform/tasks/task-queue.ts'

// A warning: it works, and should be mended all the same.
type Verdict = 'ok' | 'warning' | 'WRONG'
export type Finding = { readonly subject: string; readonly verdict: Verdict; readonly text: string }

const freeBytesMin = 500 * 1024 * 1024

// Says in one line each what is wrong, or that nothing is: database, server, keys, clock, guard, tasks,
// attempts, batches, messages, port, disk.
export async function diagnose(config: Config): Promise<readonly Finding[]> {
  return [...(await judgeInstallation(config)), await judgePort(config), await judgeDisk(config)]
}

const onlyLooks = { mayMake: false, mayMigrate: false } as const

async function judgeInstallation(config: Config): Promise<readonly Finding[]> {
  const log = openLog('silent')
  try {
    const installation = await openInstallation({ config, role: 'command', log, ...onlyLooks })
    try {
      const state = await checkDatabase(installation.db)
      return [
        {
          subject: 'database',
          verdict: wrongUnless(state === 'ok'),
          text: state === 'ok' ? databaseText(installation, config) : state,
        },
        await judgeServer(config, installation),
        judgeKeys(config, installation),
        judgeClock(installation),
        await judgeGuard(config, installation),
        await judgeTasks(installation),
        await judgeAttempts(config, installation),
        await judgeBatches(installation),
        await judgeMessages(config, installation),
      ]
    } finally {
      await installation.close()
    }
  } catch (error) {
    if (!(error instanceof Complaint)) throw error
    // Nothing else can be read from a schema of before.
    if (error instanceof MigrationsWait)
      return [{ subject: 'database', verdict: 'warning', text: error.message }]
    const subject = error instanceof KeysComplaint ? 'keys' : 'database'
    return [{ subject, verdict: 'WRONG', text: error.message }]
  }
}

function wrongUnless(isFine: boolean): Verdict {
  return isFine ? 'ok' : 'WRONG'
}

function databaseText({ gatewayProcess }: Installation, { dataFolder }: Config): string {
  const beside =
    gatewayProcess === null ? '' : `; a gateway runs from ${dataFolder} (process ${gatewayProcess})`
  return `answers, schema up to date${beside}`
}

// What it promises is no more than how it is set.
async function judgeServer({ poolSize }: Config, { db }: Pick<Installation, 'db'>): Promise<Finding> {
  const weak = await findWeakSettings({ db, connectionsNeeded: poolSize + connectionsBesidePool })
  const text = weak.length > 0 ? weak.join('; ') : 'keeps what it has confirmed'
  return { subject: 'server', verdict: weak.length > 0 ? 'warning' : 'ok', text }
}

// Keys that others can read are as good as given away.
function judgeKeys({ keysFolder, mode }: Config, { keyRing }: Pick<Installation, 'keyRing'>): Finding {
  const files = readdirSync(keysFolder).filter((name) => name.endsWith('.json'))
  const open = [keysFolder, ...files.map((name) => join(keysFolder, name))].filter(isOpenToOthers)
  const advice = `; may be read by other users, so take that away (chmod go=): ${open.join(', ')}`
  const text = `ring ${keyRing.id} of ${mode} mode${open.length > 0 ? advice : ''}`
  return { subject: 'keys', verdict: open.length > 0 ? 'warning' : 'ok', text }
}

// Windows keeps no such modes.
function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
}

function judgeClock({ clock }: Pick<Installation, 'clock'>): Finding {
  const held = clock.isFar ? '; a gateway here begins and recovers nothing until it is right' : ''
  return { subject: 'clock', verdict: wrongUnless(!clock.isUnusual), text: `${clock.describe()}${held}` }
}

async function judgeTasks({ db }: Pick<Installation, 'db'>): Promise<Finding> {
  const { dead, overdue } = await countTasks(db)
  const text = `${dead} dead, ${overdue} overdue`
  return { subject: 'tasks', verdict: wrongUnless(dead + overdue === 0), text }
}

async function judgeAttempts(
  { patiencePercent }: Config,
  { db, clock }: Pick<Installation, 'db' | 'clock'>,
): Promise<Finding> {
  const backlog = await readBacklog({ db })
  const now = clock.now()
  const { manual, unknown } = backlog
  const minutes = Math.floor(unknownSeconds(backlog, now) / 60)
  const age = unknown > 0 ? `, the oldest for ${minutes} minutes` : ''
  const unanswered = await tellUnanswered({ db, clock, patience: scaledPatience(patiencePercent) })
  const beside = unanswered === null ? '' : `; ${unanswered}`
  const text = `${manual} need an operator, ${unknown} unknown${age}${beside}`
  return { subject: 'attempts', verdict: wrongUnless(alarmsFor(backlog, now).length === 0), text }
}

const batchesNamedMax = 5

// A rejected batch keeps everything of its merchant record that was sold since from being settled.
async function judgeBatches({ db }: Pick<Installation, 'db'>): Promise<Finding> {
  const found = await findRejectedBatches({ db }, batchesNamedMax + 1)
  const named = found.slice(0, batchesNamedMax).map(({ batch, accountCode }) => {
    const { batchId, batchNumber, merchantNumber, resultCode } = batch
    const name = `batch ${batchNumber} of record ${merchantNumber} of ${accountCode}`
    return `id ${batchId} (${name}, code ${resultCode})`
  })
  const more = found.length > batchesNamedMax ? ' and more' : ''
  const wayOut =
    'settle again; one that stays so may need tillgate batch release ID --account CODE --reason TEXT'
  const text = found.length === 0 ? 'none is rejected' : `rejected: ${named.join(', ')}${more}; ${wayOut}`
  return { subject: 'batches', verdict: found.length > 0 ? 'warning' : 'ok', text }
}

// Who sends, whether they can be reached, and what did not arrive.
async function judgeMessages(
  { mailSender, textSender }: Config,
  { db }: Pick<Installation, 'db'>,
): Promise<Finding> {
  const { waiting, dead, unknown, lanes } = await readMessageBacklog({ db })
  const senders = { email: mailSender, text: textSender }
  const away = lanes.filter(({ failures }) => failures > 0)
  const told = lanes.map(({ channel, failures, problem }) => {
    const state = failures > 0 ? ` is away (${problem})` : ''
    return `${channel} by ${senders[channel]}${state}`
  })
  const counts = `${waiting} waiting, ${dead} dead, ${unknown} unknown`
  const text = `${told.join(', ')}; ${counts}`
  return { subject: 'messages', verdict: wrongUnless(away.length === 0), text }
}

// It looks once a second, and refuses payments after five without.
const notedMsMax = 5_000

async function judgeGuard(
  config: Config,
  { db, clock, gatewayProcess }: Pick<Installation, 'db' | 'clock' | 'gatewayProcess'>,
): Promise<Finding> {
  const subject = 'guard'
  const stateFile = nodeFileOf(config)
  const needs = { db, clock, stateFile }
  const hold = await judgeDatabase(needs, { register: false })
  if (hold) {
    const text = `paused: ${hold.because}; tillgate resume --reason TEXT confirms`
    return { subject, verdict: 'WRONG', text }
  }
  const isNoted = gatewayProcess === null || (await isMarkNoted(needs, notedMsMax))
  const wayOut = `${stateFile} is not written; see to the room and the rights of its folder`
  const text = isNoted ? 'neither restored nor copied' : `${unnoted}: ${wayOut}`
  return { subject, verdict: wrongUnless(isNoted), text }
}

async function judgePort({ host, port }: Config): Promise<Finding> {
  try {
    await probePort({ host, port })
    return { subject: 'port', verdict: 'ok', text: `${port} is free` }
  } catch {
    return judgeTakenPort({ host, port })
  }
}

// A gateway that runs has its port, and nothing is wrong with that.
async function judgeTakenPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const address = `http://${hostToAsk(host)}:${port}/live`
  const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  const isGateway = answer?.ok === true && (await answer.text()) === '{"live":true}'
  const text = isGateway ? `${port} is served by a running gateway` : `${port} is taken by another program`
  return { subject: 'port', verdict: wrongUnless(isGateway), text }
}

async function judgeDisk({ dataFolder }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(dataFolder))
  const free = bavail * bsize
  const text = `${Math.round(free / 1024 / 1024)} MiB free for ${dataFolder}`
  return { subject: 'disk', verdict: wrongUnless(free >= freeBytesMin), text }
}

// Where it would be made, as long as there is none.
function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder))
}

// Nobody is reached under the address that means all of them.
function hostToAsk(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
