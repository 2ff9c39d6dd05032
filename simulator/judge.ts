import type { Entry, EntryItem, Filed, Standing, StandingKind } from './bank-log.ts'
import { emptyReply, type Reply } from './bank-request.ts'

// What a request does to what stands: pure, and the same for every kind of log.

export type Judgement = Filed & {
  // Standings that are new or changed.
  readonly writes: readonly Standing[]
}

type Standings = ReadonlyMap<string, Standing>

// Which references must be looked at, and held still, before the request can be judged.
export function refsTouchedBy(entry: Entry): readonly string[] {
  const others = entry.verb === 'refund' ? [entry.original] : entry.items.map(({ ref }) => ref)
  return [...new Set([entry.ref, ...others])]
}

export function judge(entry: Entry, standings: Standings): Judgement {
  const standing = standings.get(entry.ref) ?? null
  if (entry.verb === 'inquire') return judgeInquiry(entry, standing)
  if (entry.verb === 'reverse') return judgeReversal(entry, standing)
  if (standing && !isTriedAgain(entry, standing)) return judgeRepeat(entry, standing)
  if (entry.verb === 'refund') return judgeRefund(entry, standings)
  if (entry.verb === 'settle') return judgeBatch(entry, standings)
  return accept(entry, entry.amountMinor === 0n ? 'verification' : 'sale')
}

// A batch that was rejected may be sent again as it was: what stood against it may be gone.
function isTriedAgain({ verb, digest }: Entry, standing: Standing): boolean {
  return verb === 'settle' && standing.reply.outcome === 'declined' && standing.digest === digest
}

// The first answer stands. What was taken back never comes to life again.
function judgeRepeat(entry: Entry, standing: Standing): Judgement {
  const seen = { isRepeat: true, standing, writes: [] }
  const isClosed = standing.kind === 'closed' || standing.reversedAt !== null
  if (isClosed) return { ...seen, reply: emptyReply(entry.ref, 'declined', '94'), reason: 'reversed before' }
  if (standing.digest !== entry.digest) {
    const reply = emptyReply(entry.ref, 'declined', '94')
    return { ...seen, reply, reason: 'reference used before for something else' }
  }
  return { ...seen, reply: standing.reply, reason: standing.reason }
}

function judgeInquiry(entry: Entry, standing: Standing | null): Judgement {
  const seen = { isRepeat: false, standing, writes: [], reason: standing?.reason ?? '' }
  const missing = { ...seen, reply: emptyReply(entry.ref, 'not_found', '25') }
  if (!standing) return missing
  const isClosed = standing.kind === 'closed' || standing.reversedAt !== null
  if (isClosed) return { ...seen, reply: emptyReply(entry.ref, 'reversed', '00') }
  const { hiddenUntil } = standing
  const isHidden = hiddenUntil !== null && Temporal.Instant.compare(entry.at, hiddenUntil) < 0
  return isHidden ? missing : { ...seen, reply: standing.reply }
}

// Acknowledged whether or not there was something to take back.
function judgeReversal(entry: Entry, standing: Standing | null): Judgement {
  const done = emptyReply(entry.ref, 'reversed', '00')
  const seen = { isRepeat: standing !== null, standing, writes: [], reason: '', reply: done }
  if (!standing) {
    const closed = standingFrom(entry, 'closed', done)
    return { ...seen, writes: [closed], reason: 'nothing to reverse; the reference is closed' }
  }
  const isOpen = standing.reply.outcome === 'approved' && standing.reversedAt === null
  if (!isOpen) return seen
  const obstacle = obstacleToReversal(standing)
  if (obstacle !== '') return { ...seen, reply: emptyReply(entry.ref, 'refused', '12'), reason: obstacle }
  return { ...seen, writes: [{ ...standing, reversedAt: entry.at }] }
}

function obstacleToReversal(standing: Standing): string {
  if (standing.kind === 'refund' || standing.kind === 'batch') return `a ${standing.kind} is not reversed`
  if (standing.batchRef !== '') return `settled in ${standing.batchRef}`
  return standing.refundedMinor > 0n ? 'refunded before' : ''
}

function judgeRefund(entry: Entry, standings: Standings): Judgement {
  const original = standings.get(entry.original)
  if (!original || original.kind !== 'sale') return reject(entry, 'refund', '25', 'no such sale')
  const isStanding = original.reply.outcome === 'approved' && original.reversedAt === null
  if (!isStanding) return reject(entry, 'refund', '12', 'the sale does not stand')
  if (original.reply.currency !== entry.currency) return reject(entry, 'refund', '12', 'another currency')
  const refundedMinor = original.refundedMinor + entry.amountMinor
  const isTooMuch = entry.amountMinor <= 0n || refundedMinor > original.reply.approvedMinor
  if (isTooMuch) return reject(entry, 'refund', '13', 'more than is left of the sale')
  const accepted = accept(entry, 'refund')
  return { ...accepted, writes: [...accepted.writes, { ...original, refundedMinor }] }
}

function judgeBatch(entry: Entry, standings: Standings): Judgement {
  if (entry.verdict?.outcome === 'declined') return accept(entry, 'batch')
  const isListedTwice = new Set(entry.items.map(({ ref }) => ref)).size < entry.items.length
  if (isListedTwice) return reject(entry, 'batch', '95', 'one reference is listed twice')
  const problem = entry.items
    .map((item) => problemOf(item, entry, standings.get(item.ref)))
    .find((text) => text !== '')
  if (problem !== undefined) return reject(entry, 'batch', '95', problem)
  const accepted = acceptBatch(entry)
  const settled = entry.items.flatMap(({ ref }) => {
    const standing = standings.get(ref)
    return standing ? [{ ...standing, batchRef: entry.ref }] : []
  })
  return { ...accepted, writes: [...accepted.writes, ...settled] }
}

// For a log that has settled the items itself.
export function acceptBatch(entry: Entry): Judgement {
  return accept(entry, 'batch')
}

function problemOf(item: EntryItem, batch: Entry, standing: Standing | undefined): string {
  const kind = item.isCredit ? 'refund' : 'sale'
  if (!standing || standing.kind !== kind) return `no ${kind} ${item.ref}`
  if (standing.reply.outcome !== 'approved' || standing.reversedAt) return `${item.ref} does not stand`
  if (standing.batchRef !== '') return `${item.ref} is settled in ${standing.batchRef}`
  if (standing.reply.currency !== batch.currency || item.currency !== batch.currency)
    return `${item.ref} is in another currency`
  return item.amountMinor > standing.reply.approvedMinor ? `${item.ref} was approved for less` : ''
}

function accept(entry: Entry, kind: StandingKind): Judgement {
  const reply = entry.verdict ?? emptyReply(entry.ref, 'declined', '96')
  const standing = standingFrom(entry, kind, reply)
  return { reply, reason: entry.reason, isRepeat: false, standing, writes: [standing] }
}

function reject(entry: Entry, kind: StandingKind, code: string, reason: string): Judgement {
  const reply = emptyReply(entry.ref, 'declined', code)
  const standing = { ...standingFrom(entry, kind, reply), reason }
  return { reply, reason, isRepeat: false, standing, writes: [standing] }
}

function standingFrom(entry: Entry, kind: StandingKind, reply: Reply): Standing {
  return {
    ref: entry.ref,
    kind,
    at: entry.at,
    digest: entry.digest,
    original: entry.original,
    terminalId: entry.terminalId,
    card: entry.card,
    amountMinor: entry.amountMinor,
    feeMinor: entry.feeMinor,
    reply,
    reason: entry.reason,
    reversedAt: kind === 'closed' ? entry.at : null,
    refundedMinor: 0n,
    batchRef: '',
    refusalsInARow: entry.refusalsInARow,
    chargebackAt: entry.chargebackAt,
    hiddenUntil: entry.hiddenUntil,
    silentUntil: entry.silentUntil,
  }
}
