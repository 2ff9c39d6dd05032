import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { listNewest } from '#apps/cli/list-newest.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { beginOf, endOf, refuseBackwards, spanExplanation } from '#apps/cli/span.ts'
import { operatorName } from '#apps/cli/operator.ts'
import { Complaint } from '#apps/complaint.ts'
import { addWebhookOf, type AddRefusal } from '#capabilities/webhooks/add-webhook.operation.ts'
import type { Delivery } from '#capabilities/webhooks/delivery.ts'
import { disableWebhookOf } from '#capabilities/webhooks/disable-webhook.operation.ts'
import { endpointId, type EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { listWebhooksOf } from '#capabilities/webhooks/list-webhooks.operation.ts'
import { replayDead, replayMessage, replayRange } from '#capabilities/webhooks/replay.operation.ts'
import { rotateSecret } from '#capabilities/webhooks/rotate-secret.operation.ts'
import { listDeliveries, showDelivery } from '#capabilities/webhooks/show-deliveries.operation.ts'
import { type EventType, isEventType } from '#engine/events/event-registry.ts'
import { printMoment } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Details } from '#kernel/result.ts'

export const webhookCommands: Readonly<Record<string, Command>> = {
  add: {
    usage: 'tillgate webhook add URL --account CODE [--events TYPE,TYPE] [--description TEXT]',
    summary: 'Tell an address of the events of an account; its secret is shown once',
    subject: 'address',
    texts: { account: 9, events: 2_000, description: 200 },
    flags: [],
    run: add,
  },
  list: {
    usage: 'tillgate webhook list --account CODE',
    summary: 'List the addresses that are told of events',
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: list,
  },
  disable: {
    usage: 'tillgate webhook disable ID --account CODE',
    summary: 'Tell an address nothing more',
    subject: 'webhook id',
    texts: { account: 9 },
    flags: [],
    run: disable,
  },
  rotate: {
    usage: 'tillgate webhook rotate ID|forms --account CODE',
    summary: 'Make a new secret for an address, or for what forms post; the old one signs along for a day',
    subject: 'webhook id',
    texts: { account: 9 },
    flags: [],
    run: rotate,
  },
  log: {
    usage: 'tillgate webhook log --account CODE [--dead] [--last 20]',
    summary: 'List what was sent, newest first, or with --dead what never arrived',
    subject: null,
    texts: { account: 9, last: 5 },
    flags: ['dead'],
    run: log,
  },
  show: {
    usage: 'tillgate webhook show DELIVERY --account CODE',
    summary: 'Show the exact bytes of a delivery and what came of each try',
    subject: 'delivery',
    texts: { account: 9 },
    flags: [],
    run: show,
  },
  replay: {
    usage:
      'tillgate webhook replay WEBHOOK-ID|dead|range --account CODE [--webhook ID --from WHEN --to WHEN]',
    summary: 'Send again: one message by its webhook-id, all that never arrived, or a time to one address',
    explanation: spanExplanation,
    subject: 'webhook-id, dead or range',
    texts: { account: 9, webhook: 15, from: 40, to: 40 },
    flags: [],
    run: replay,
  },
}

const accountOf = async ({ context, options }: Invocation): Promise<AccountId> =>
  (await accountByCode({ context, code: options.needText('account') })).accountId

const addComplaints: Readonly<Record<AddRefusal, (details: Details) => string>> = {
  webhook_address_refused: ({ problem }) => `The address ${problem}.`,
  webhook_exists: () => 'The account has an active webhook at that address already.',
  too_many_webhooks: ({ whose, limit }) => `${whose} has at most ${limit} active webhooks.`,
}

const keepSafe = 'The secret is shown this once. Keep it safe; docs/webhooks.md tells how to verify with it.'

async function add(invocation: Invocation): Promise<Report> {
  const { context, options, subject: url } = invocation
  const accountId = await accountOf(invocation)
  const eventTypes = eventTypesFrom(options.text('events') ?? '')
  const description = options.text('description') ?? ''
  const createdBy = operatorName()
  const wish = { accountId, merchantNumber: null, url, eventTypes, description, createdBy }
  const added = await addWebhookOf(context, wish)
  if (!added.ok) throw new Complaint(addComplaints[added.refusal.kind](added.refusal.details))
  const { endpointId: id, secret } = added.value
  return { rows: [{ id: Number(id), url: added.value.url, secret: secret.reveal() }], note: keepSafe }
}

function eventTypesFrom(text: string): readonly EventType[] {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  return names.map((name) => {
    if (!isEventType(name)) throw new Complaint(`There is no event ${name}. docs/events.md lists them.`)
    return name
  })
}

async function list(invocation: Invocation): Promise<Report> {
  const webhooks = await listWebhooksOf(invocation.context, await accountOf(invocation))
  const rows = webhooks.map((one) => ({
    id: Number(one.endpointId),
    url: one.url,
    merchant: one.merchantNumber ?? 'all',
    events: one.eventTypes.join(',') || 'all',
    state: one.isActive ? 'active' : `disabled: ${one.disabledBecause}`,
    waiting: one.waiting,
    undelivered: one.dead,
    added: printMoment(one.createdAt),
    by: one.createdBy,
  }))
  return { rows }
}

function endpointIdFrom(text: string): EndpointId {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Complaint(`${text} is no webhook. tillgate webhook list shows them.`)
  return endpointId(BigInt(text))
}

async function disable(invocation: Invocation): Promise<Report> {
  const id = endpointIdFrom(invocation.subject)
  const accountId = await accountOf(invocation)
  const disabled = await disableWebhookOf(invocation.context, {
    accountId,
    merchantNumber: null,
    endpointId: id,
  })
  if (!disabled.ok) throw new Complaint(`The account has no webhook ${id}.`)
  return { rows: [{ id: Number(id), state: 'disabled' }] }
}

async function rotate(invocation: Invocation): Promise<Report> {
  const { context, subject } = invocation
  const owner = subject === 'forms' ? null : endpointIdFrom(subject)
  const accountId = await accountOf(invocation)
  const rotated = await rotateSecret(context, { accountId, endpointId: owner })
  if (!rotated.ok) throw new Complaint(`The account has no active webhook ${subject}.`)
  return { rows: [{ of: subject, secret: rotated.value.reveal() }], note: keepSafe }
}

async function log(invocation: Invocation): Promise<Report> {
  const { context, options } = invocation
  const accountId = await accountOf(invocation)
  const state = options.flag('dead') === true ? 'dead' : null
  return listNewest(options, {
    lastMax: 99_999,
    find: (most) => listDeliveries(context, accountId, { state, most }),
    rowOf: deliveryRow,
  })
}

function deliveryRow(one: Delivery): Row {
  return {
    delivery: Number(one.deliveryId),
    webhook: one.endpointId === null ? 'form' : Number(one.endpointId),
    message: one.messageId,
    state: one.state === 'dead' ? 'undelivered' : one.state,
    tries: one.tries,
    next: one.state === 'waiting' ? printMoment(one.nextTryAt) : '',
    status: one.status ?? '',
    problem: one.problem,
    url: one.url,
  }
}

async function show(invocation: Invocation): Promise<Report> {
  const { context, subject } = invocation
  const accountId = await accountOf(invocation)
  if (!/^[1-9]\d{0,14}$/.test(subject)) throw new Complaint(`${subject} is no delivery.`)
  const shown = await showDelivery(context, accountId, BigInt(subject))
  if (!shown) throw new Complaint(`The account has no delivery ${subject}.`)
  const { delivery, tries } = shown
  const told = tries.map((one) =>
    [
      `== try ${one.number}, ${printMoment(one.at)}, ${one.tookMs} ms`,
      one.requestHead,
      ...(delivery.body === '' ? [] : ['', delivery.body]),
      `== ${one.status === null ? one.problem : 'answered'}`,
      one.answerHead,
    ].join('\n'),
  )
  const unsent = `== not tried yet\n${delivery.method} ${delivery.url}\n\n${delivery.body}`
  const rows = tries.map((one) => ({
    try: one.number,
    at: printMoment(one.at),
    status: one.status,
    problem: one.problem,
    ms: one.tookMs,
    request: one.requestHead,
    body: delivery.body,
    answer: one.answerHead,
  }))
  return { rows, plain: `${(tries.length === 0 ? [unsent] : told).join('\n')}\n` }
}

async function replay(invocation: Invocation): Promise<Report> {
  const { context, subject } = invocation
  const accountId = await accountOf(invocation)
  const count = await replayed(invocation, accountId)
  const rows = [{ replayed: count }]
  if (count === 0) return { rows, note: nothingSaid(subject) }
  const when = context.sending.hold ? 'once an operator has confirmed the database' : 'within seconds'
  return { rows, note: `They are sent ${when}, with the same ids and bytes.` }
}

function nothingSaid(subject: string): string {
  if (subject === 'dead') return 'Nothing is sent again: to addresses that are active nothing is undelivered.'
  if (subject === 'range')
    return 'Nothing is sent again: that address was to be told of nothing in that time.'
  throw new Complaint(`The account has no message ${subject} that can be sent again.`)
}

async function replayed({ context, options, subject }: Invocation, accountId: AccountId): Promise<number> {
  if (subject === 'dead') return replayDead(context, accountId)
  if (subject !== 'range') return replayMessage(context, accountId, subject)
  const id = endpointIdFrom(options.needText('webhook'))
  const [begin, to] = [options.needText('from'), options.text('to')]
  if (to !== undefined) refuseBackwards(begin, to)
  const from = beginOf(begin)
  const until = to === undefined ? context.accountClock.now(accountId) : endOf(to)
  const done = await replayRange(context, { accountId, endpointId: id, from, until })
  if (done.ok) return done.value
  throw new Complaint(
    done.refusal.kind === 'webhook_not_found'
      ? `The account has no active webhook ${id}.`
      : 'Events are being written that cannot be read yet. Try again in a moment.',
  )
}
