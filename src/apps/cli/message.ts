import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Options, Report } from '#apps/cli/command.ts'
import { listNewest } from '#apps/cli/list-newest.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { Complaint } from '#apps/complaint.ts'
import { changeLimits, showLimits } from '#capabilities/messages/change-limits.operation.ts'
import type { MessageLimits } from '#capabilities/messages/limits.ts'
import type { MessageState, StoredMessage } from '#capabilities/messages/message.ts'
import { retryMessage, type RetryRefusal } from '#capabilities/messages/retry-message.operation.ts'
import { listMessages, showMessage } from '#capabilities/messages/show-messages.operation.ts'
import { printMoment } from '#kernel/calendar.ts'

export const messageCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate message list [--account CODE] [--state STATE] [--last 20]',
    summary: 'List texts and e-mails, newest first; states: waiting, sent, delivered, dead, unknown',
    subject: null,
    texts: { account: 9, state: 9, last: 4 },
    flags: [],
    run: list,
  },
  show: {
    usage: 'tillgate message show NUMBER',
    summary: 'Show a message and what became of its parts',
    subject: 'message',
    texts: {},
    flags: [],
    run: show,
  },
  retry: {
    usage: 'tillgate message retry NUMBER',
    summary: 'Send a message again that is dead, or of which nobody knows whether it arrived',
    subject: 'message',
    texts: {},
    flags: [],
    run: retry,
  },
  limits: {
    usage:
      'tillgate message limits --account CODE [--per-hour N] [--per-day N] [--per-recipient-hour N]' +
      ' [--per-recipient-day N] [--countries US,CA|default]',
    summary: 'Show or change how much an account may send, and to which countries it may text',
    subject: null,
    texts: {
      account: 9,
      'per-hour': 7,
      'per-day': 7,
      'per-recipient-hour': 7,
      'per-recipient-day': 7,
      countries: 1_000,
    },
    flags: [],
    run: limits,
  },
}

const states: readonly MessageState[] = ['waiting', 'sent', 'delivered', 'dead', 'unknown']

async function list({ context, options }: Invocation): Promise<Report> {
  const code = options.text('account')
  const account = code === undefined ? null : await accountByCode({ context, code })
  const named = options.text('state')
  const state = states.find((one) => one === named) ?? null
  if (named !== undefined && state === null) throw new Complaint(`--state is one of ${states.join(', ')}.`)
  const accountId = account?.accountId ?? null
  return listNewest(options, {
    lastMax: 1_000,
    find: (most) => listMessages(context, { accountId, state, most }),
    rowOf,
  })
}

function rowOf(message: StoredMessage): Row {
  return {
    number: String(message.messageId),
    channel: message.channel,
    to: message.recipient,
    purpose: message.purpose,
    link: message.linkId === null ? '' : String(message.linkId),
    state: message.state,
    tries: message.tries,
    queued: printMoment(message.createdAt),
    problem: message.problem,
  }
}

async function show({ context, subject }: Invocation): Promise<Report> {
  const shown = await showMessage(context, messageFrom(subject))
  if (!shown) throw new Complaint(noMessage(subject))
  const { message, parts } = shown
  const told = parts.map(({ number, ref, state, problem }) =>
    `  ${number}  ${state}  ${ref}  ${problem}`.trimEnd(),
  )
  const note = [
    ...(message.subject === '' ? [] : [`Subject: ${message.subject}`, '']),
    message.text.trimEnd(),
    ...(parts.length === 0 ? [] : ['', 'Parts:', ...told]),
  ].join('\n')
  return { rows: [rowOf(message)], note }
}

const retryComplaints: Readonly<Record<RetryRefusal, string>> = {
  message_not_found: 'There is no such message. tillgate message list shows them.',
  message_not_ended: 'Only a message that is dead or unknown can be sent again.',
  recipient_stopped: 'That phone has answered STOP. Nothing is sent to it until it answers START.',
}

async function retry({ context, subject }: Invocation): Promise<Report> {
  const retried = await retryMessage(context, messageFrom(subject))
  if (!retried.ok) throw new Complaint(retryComplaints[retried.refusal.kind])
  return { rows: [{ number: subject, state: 'waiting' }], note: 'It is sent within a second or two.' }
}

async function limits({ context, options }: Invocation): Promise<Report> {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  const before = await showLimits(context, accountId)
  const changes = limitsFrom(options, before)
  if (changes === before) return { rows: [limitRow(before)] }
  const changed = await changeLimits(context, accountId, changes)
  if (!changed.ok) throw new Complaint(`That cannot be: ${String(changed.refusal.details['problem'])}.`)
  return { rows: [limitRow(changed.value)] }
}

function limitRow(known: MessageLimits): Row {
  return {
    perHour: known.perHour,
    perDay: known.perDay,
    perRecipientHour: known.perRecipientHour,
    perRecipientDay: known.perRecipientDay,
    countries: known.countries.join(',') || "the record's own, US, CA",
  }
}

// The same object when nothing was asked for.
function limitsFrom(options: Options, before: MessageLimits): MessageLimits {
  const perHour = numberFrom('per-hour', options.text('per-hour'))
  const perDay = numberFrom('per-day', options.text('per-day'))
  const perRecipientHour = numberFrom('per-recipient-hour', options.text('per-recipient-hour'))
  const perRecipientDay = numberFrom('per-recipient-day', options.text('per-recipient-day'))
  const countries = countriesFrom(options.text('countries'))
  const asked = [perHour, perDay, perRecipientHour, perRecipientDay, countries]
  if (asked.every((value) => value === null)) return before
  return {
    perHour: perHour ?? before.perHour,
    perDay: perDay ?? before.perDay,
    perRecipientHour: perRecipientHour ?? before.perRecipientHour,
    perRecipientDay: perRecipientDay ?? before.perRecipientDay,
    countries: countries ?? before.countries,
  }
}

function countriesFrom(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  if (text === 'default') return []
  return text.split(',').map((code) => code.trim().toUpperCase())
}

function numberFrom(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,7}$/.test(text)) throw new Complaint(`--${name} is a whole number.`)
  return Number(text)
}

function messageFrom(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new Complaint(noMessage(text))
  return BigInt(text)
}

const noMessage = (text: string): string => `${text} is no message. tillgate message list shows them.`
