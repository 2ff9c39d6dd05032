import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { Complaint } from '#apps/complaint.ts'
import { dueWork } from '#capabilities/due-work.ts'
import { durationForm, readDuration } from '#capabilities/sandbox/clock-wish.ts'
import {
  type ClockRefusal,
  type ClockState,
  type ClockWish,
  moveClock,
  showClock,
} from '#engine/account-clock/move-clock.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Mode } from '#platform/crypto/key-ring.ts'
import { parseMoment, printMoment } from '#kernel/calendar.ts'
import type { Details } from '#kernel/result.ts'

const texts = { account: 9 }

export const clockCommands: Readonly<Record<string, Command>> = {
  show: {
    usage: 'tillgate clock show --account CODE',
    summary: 'Show the clock of a sandbox account and what its last move brought',
    subject: null,
    texts,
    flags: [],
    run: async (invocation) => {
      const { accountId } = await accountOf(invocation)
      return reportOn(invocation, accountId, await showClock(invocation.context, accountId))
    },
  },
  advance: {
    usage: 'tillgate clock advance DURATION --account CODE',
    summary: 'Move the clock of a sandbox account forward and do what falls due on the way',
    subject: 'duration',
    texts,
    flags: [],
    run: async (invocation) => {
      const by = readDuration(invocation.subject)
      if (!by) throw new Complaint(`${invocation.subject} is not ${durationForm}.`)
      return move(invocation, () => ({ kind: 'advance', by }))
    },
  },
  set: {
    usage: 'tillgate clock set MOMENT --account CODE',
    summary: 'Move the clock of a sandbox account forward to a moment, in the same way',
    subject: 'moment',
    texts,
    flags: [],
    run: (invocation) =>
      move(invocation, (timeZone) => {
        const to = parseMoment(invocation.subject, timeZone)
        if (!to) throw new Complaint(`${invocation.subject} is no moment such as 2027-01-31T00:00:00Z.`)
        return { kind: 'set', to }
      }),
  },
}

function accountOf({ context, options }: Invocation) {
  return accountByCode({ context, code: options.needText('account') })
}

async function move(invocation: Invocation, wishIn: (timeZone: string) => ClockWish): Promise<Report> {
  const { context } = invocation
  const { accountId } = await accountOf(invocation)
  const timeZone = await zoneOf(invocation, accountId)
  const asked = { accountId, timeZone, wish: wishIn(timeZone), patienceMs: null }
  const moved = await moveClock(context, dueWork, asked)
  if (!moved.ok) throw new Complaint(complaints[moved.refusal.kind](moved.refusal.details))
  return reportOn(invocation, accountId, moved.value)
}

// The zone of record 1, as over the interface.
async function zoneOf({ context }: Invocation, account: AccountId): Promise<string> {
  const [first] = await listMerchants(context, account)
  return first?.timeZone ?? 'UTC'
}

const complaints: Readonly<Record<ClockRefusal, (details: Details) => string>> = {
  clock_is_live: () => 'Live accounts go by real time; only the sandbox has clocks that can be moved.',
  clock_is_moving: ({ to }) => `The clock of this account is being moved to ${to}. Try again in a moment.`,
  clock_goes_forward: ({ now }) => `A clock moves forwards only; this one shows ${now} already.`,
  clock_too_far: ({ years }) => `One command moves a clock by ${years} years at the most.`,
  paused: ({ because }) => `Nothing is sent: ${because}. See tillgate resume --help.`,
}

function reportOn(
  { context, options }: Invocation,
  accountId: AccountId,
  { now, movingTo, diary, unresolved }: ClockState,
): Report {
  const realTime = context.clock.now()
  const isReal = context.accountClock.showsAt(accountId, realTime).equals(realTime)
  const rows = diary.entries.map(({ at, what, subject, text }) => {
    return { at: printMoment(at), what, subject: subject === null ? '' : String(subject), text }
  })
  const more = diary.total - rows.length
  const notes = [
    `It is ${printMoment(now)}${movingTo ? ` and goes on to ${printMoment(movingTo)}` : ''}.`,
    ...(isReal ? [realTimeNote(context.keyRing.mode, options.needText('account'))] : []),
    ...(!isReal && diary.total === 0 ? ['Nothing fell due in its last move.'] : []),
    ...(more > 0 ? [`The diary has ${more} more entries.`] : []),
    ...(unresolved > 0
      ? [`The outcome of ${unresolved} payments is not known yet; time does not wait.`]
      : []),
  ]
  return { rows, note: notes.join(' ') }
}

function realTimeNote(mode: Mode, accountCode: string): string {
  if (mode === 'live') return complaints.clock_is_live({})
  return (
    'That is real time: the clock of this account was never moved. ' +
    `tillgate clock advance P1D --account ${accountCode} moves it by a day, and shows what falls due.`
  )
}
