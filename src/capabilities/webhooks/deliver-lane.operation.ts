import type { ClaimedDelivery, DeliveryState, Lane } from '#capabilities/webhooks/delivery.ts'
import {
  claimDelivery,
  findNextTry,
  listDueLanes,
  releaseDelivery,
  reportTry,
} from '#capabilities/webhooks/delivery.store.ts'
import { endEndpoint } from '#capabilities/webhooks/end-endpoint.operation.ts'
import type { EndpointKey } from '#capabilities/webhooks/endpoint.store.ts'
import { healLane, lockLaneHealth, setLaneHealth } from '#capabilities/webhooks/lane.store.ts'
import {
  afterFailure,
  delayBeforeNextTry,
  isHopeless,
  readRetryAfter,
} from '#capabilities/webhooks/retry-schedule.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { secretsOf } from '#capabilities/webhooks/webhook-secrets.operation.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import type { AccountId } from '#kernel/ids.ts'
import { signWebhook } from '#platform/crypto/standard-webhooks.ts'
import type { OutgoingOutcome, OutgoingRequest } from '#platform/outbound/send-request.ts'
import { transactAgain, type Tx } from '#platform/postgres/database.ts'

export type DeliverNeeds = Pick<
  WebhookNeeds,
  'deliveryDb' | 'clock' | 'accountClock' | 'keyRing' | 'sending' | 'sendRequest' | 'log'
>

const inFlightMax = 4
// Longer than a try can take, so that nobody else tries the same delivery meanwhile.
const claimSeconds = 60
// A lane with much to send lets others have a turn.
const turnMs = 20_000

export type TriedDelivery = Pick<ClaimedDelivery, 'deliveryId' | 'messageId' | 'url'> & {
  readonly state: DeliveryState
  readonly problem: string
}

type Turn = {
  readonly lane: Lane
  readonly accountId: AccountId
  readonly signal: AbortSignal
  // Aborted when nothing more is to be begun; what is on its way goes on.
  readonly stopping?: AbortSignal
  // Hears of each try once it is recorded.
  readonly onTried?: (tried: TriedDelivery) => Promise<void>
}

// Sends what is due in one lane, a few at a time, until nothing is due, the lane has to rest or its turn is
// over. Any number of nodes may do so at once: each delivery is claimed by its row.
export async function deliverLane(needs: DeliverNeeds, turn: Turn): Promise<void> {
  const end = needs.clock.now().add({ milliseconds: turnMs })
  const work = async (): Promise<void> => {
    while (!turn.signal.aborted && !turn.stopping?.aborted && !needs.sending.hold) {
      if (Temporal.Instant.compare(needs.clock.now(), end) > 0) return
      const claimed = await claim(needs, turn)
      if (!claimed) return
      await tryDelivery(needs, turn, claimed)
    }
  }
  await untilAllEnd(Array.from({ length: inFlightMax }, work))
}

// Nobody is left at work behind the back of whoever hears of a failure.
async function untilAllEnd(works: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(works)
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

function claim({ deliveryDb, clock, accountClock }: DeliverNeeds, { lane, accountId }: Turn) {
  const realNow = clock.now()
  const until = realNow.add({ seconds: claimSeconds })
  return claimDelivery(deliveryDb, lane, { now: accountClock.now(accountId), realNow, until })
}

// A try whose node dies is not counted: it will be made again, with the same id and the same bytes.
async function tryDelivery(needs: DeliverNeeds, turn: Turn, claimed: ClaimedDelivery): Promise<void> {
  const request = await signedRequest(needs, claimed)
  const began = needs.clock.now()
  const outcome = await needs.sendRequest(request, turn.signal)
  if (turn.signal.aborted && outcome.kind === 'failed') {
    await releaseDelivery(needs.deliveryDb, claimed)
    return
  }
  const tookMs = needs.clock.now().epochMilliseconds - began.epochMilliseconds
  const made = { turn, claimed, request, outcome, tookMs }
  const { tried, hopelessBecause } = await needs.deliveryDb.inTransaction((tx) => recordTry(needs, tx, made))
  if (hopelessBecause !== null && claimed.endpointId !== null)
    await giveUp(needs, { ...claimed, endpointId: claimed.endpointId }, hopelessBecause)
  if (tried) await turn.onTried?.(tried)
}

async function signedRequest(
  needs: DeliverNeeds,
  { accountId, endpointId, messageId: id, method, url, body }: ClaimedDelivery,
): Promise<OutgoingRequest> {
  const secrets = await secretsOf(needs, needs.deliveryDb, { accountId, endpointId })
  // Real time, because the receiver compares it with its own clock.
  const timestampS = Math.floor(needs.clock.now().epochMilliseconds / 1_000)
  // A GET carries its message in the address.
  const signed = method === 'POST' ? body : (URL.parse(url)?.search.slice(1) ?? '')
  return {
    url,
    method,
    body: Buffer.from(body, 'utf8'),
    headers: {
      'user-agent': 'Tillgate-Webhooks',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      'webhook-id': id,
      'webhook-timestamp': String(timestampS),
      'webhook-signature': signWebhook(secrets, { id, timestampS, body: signed }),
    },
  }
}

type MadeTry = {
  readonly turn: Turn
  readonly claimed: ClaimedDelivery
  readonly request: OutgoingRequest
  readonly outcome: OutgoingOutcome
  readonly tookMs: number
}

type Recorded = {
  // null when another node has taken it over.
  readonly tried: TriedDelivery | null
  // Why nothing more is sent there; null as long as there is hope.
  readonly hopelessBecause: string | null
}

// Locks the delivery and then its lane, like everybody.
async function recordTry(needs: DeliverNeeds, tx: Tx, made: MadeTry): Promise<Recorded> {
  const { claimed, turn, outcome } = made
  const now = needs.accountClock.now(turn.accountId)
  const { state, problem, delayMs, retryAfterMs } = judge(needs, made)
  const isOurs = await reportTry(tx, {
    deliveryId: claimed.deliveryId,
    fence: claimed.fence,
    state,
    problem,
    nextTryAt: now.add({ milliseconds: delayMs }),
    status: outcome.kind === 'answered' ? outcome.status : null,
    requestHead: headOf(made.request),
    answerHead: outcome.kind === 'answered' ? outcome.head : '',
    tookMs: made.tookMs,
    at: needs.clock.now(),
  })
  if (!isOurs) return { tried: null, hopelessBecause: null }
  const { deliveryId, messageId, url } = claimed
  const tried = { deliveryId, messageId, url, state, problem }
  if (state !== 'delivered')
    return { tried, hopelessBecause: await recordFailure(needs, tx, { ...made, retryAfterMs }) }
  await healLane(tx, turn.lane)
  return { tried, hopelessBecause: null }
}

// Only 2xx is a success; a redirect is a failure like any other. 410 means that nobody wants it any more.
function judge({ clock }: DeliverNeeds, { claimed, outcome }: MadeTry) {
  const status = outcome.kind === 'answered' ? outcome.status : null
  if (status !== null && status >= 200 && status <= 299)
    return { state: 'delivered', problem: '', delayMs: 0, retryAfterMs: 0 } as const
  const problem = outcome.kind === 'answered' ? `Answered ${outcome.status}` : outcome.because
  const retryAfter = outcome.kind === 'answered' ? outcome.retryAfter : ''
  const retryAfterMs = readRetryAfter(retryAfter, clock.now())
  const { deliveryId, tries } = claimed
  const delayMs = status === gone ? null : delayBeforeNextTry({ deliveryId, tries: tries + 1, retryAfterMs })
  if (delayMs === null) return { state: 'dead', problem, delayMs: 0, retryAfterMs } as const
  return { state: 'waiting', problem, delayMs, retryAfterMs } as const
}

const gone = 410

async function recordFailure(
  needs: DeliverNeeds,
  tx: Tx,
  { turn, outcome, retryAfterMs }: MadeTry & { readonly retryAfterMs: number },
): Promise<string | null> {
  const at = needs.accountClock.now(turn.accountId)
  const status = outcome.kind === 'answered' ? outcome.status : null
  const health = afterFailure(await lockLaneHealth(tx, turn.lane), { status, retryAfterMs, at })
  await setLaneHealth(tx, turn.lane, health)
  if (status === gone) return 'The receiver answered 410'
  return isHopeless(health, at) ? 'It has failed for 5 days' : null
}

// In a transaction of its own: it locks deliveries that others are about to report on.
async function giveUp(needs: DeliverNeeds, endpoint: EndpointKey, because: string): Promise<void> {
  const { accountId, endpointId } = endpoint
  const isDisabled = await transactAgain(needs.deliveryDb, (tx) =>
    endEndpoint(needs, tx, { accountId, endpointId, because }),
  )
  const fields = { account: String(accountId), endpoint: String(endpointId), because }
  if (isDisabled) needs.log.warn(fields, 'A webhook endpoint is disabled')
}

function headOf({ method, url, headers, body }: OutgoingRequest): string {
  const { host, pathname, search } = new URL(url)
  const length = method === 'POST' ? { 'content-length': String(body.length) } : {}
  const all = { ...headers, host, connection: 'close', ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${pathname}${search} HTTP/1.1`, ...lines].join('\n')
}

export function nextTryWithin({ deliveryDb }: DeliverNeeds, span: DueSpan): Promise<Temporal.Instant | null> {
  return findNextTry(deliveryDb, span)
}

// What the account's clock has come to, for the time machine's diary.
export async function retryDue(
  needs: DeliverNeeds,
  { accountId, at, signal, tell }: DueMoment,
): Promise<void> {
  const moved = [{ accountId, now: at }]
  const due = await listDueLanes(needs.deliveryDb, { only: accountId, now: needs.clock.now(), moved })
  const onTried = (tried: TriedDelivery) => tell([entryOf(tried, at)])
  await untilAllEnd(due.map(({ lane }) => deliverLane(needs, { lane, accountId, signal, onTried })))
}

function entryOf(tried: TriedDelivery, at: Temporal.Instant): DiaryEntry {
  return {
    at,
    what: tried.state === 'delivered' ? 'webhook.delivered' : 'webhook.failed',
    subject: tried.deliveryId,
    text: `${tried.messageId} to ${new URL(tried.url).host}: ${textOf(tried)}`,
  }
}

function textOf({ state, problem }: TriedDelivery): string {
  if (state === 'delivered') return 'delivered'
  return state === 'dead' ? `${problem}; given up` : `${problem}; will be tried again`
}
