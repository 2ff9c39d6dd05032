import type { BatchItem } from '#capabilities/settlement/batch-item.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import { notSentCode } from '#capabilities/settlement/batch-transitions.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import { isSameMoney, printWithCurrency } from '#kernel/money.ts'
import { ok, refuse, type Refused, type Result } from '#kernel/result.ts'

// What the acquirer's report says about a batch that it rejected, pure. Whatever does not agree to the cent
// is named and stops the release: nothing is guessed.

// Why a batch is not released, for people.
export type NotReleasable = Refused<'not_releasable'>

export function notReleasable(problem: string): NotReleasable {
  return refuse('not_releasable', { problem })
}

// Only what the acquirer has heard and turned down. One that never left says nothing about the acquirer.
export function problemWithState({ state, resultCode }: Pick<Batch, 'state' | 'resultCode'>): string {
  if (state === 'released') return 'it is released already'
  if (state !== 'rejected') return `it is ${state}, and only a rejected one is released`
  return resultCode === notSentCode ? 'it did not reach the acquirer when it was sent last: settle again' : ''
}

export type Holdings = {
  // Transactions that the acquirer has settled, by our reference of the batch in which it has.
  readonly settled: ReadonlyMap<AcquirerRef, readonly bigint[]>
  // Those that it has reversed and that stand here: their void was forgotten.
  readonly reversedIds: readonly bigint[]
}

export type Reported = {
  readonly batch: Pick<Batch, 'ref' | 'currency'>
  readonly items: readonly BatchItem[]
  // Of the same merchant record and in no batch here: those that the other batch holds belong to it as well.
  readonly others: readonly BatchItem[]
  readonly lines: ReadonlyMap<AcquirerRef, readonly ReportLine[]>
}

export function sortHoldings({ batch, items, others, lines }: Reported): Result<Holdings, 'not_releasable'> {
  const settled = new Map<AcquirerRef, bigint[]>()
  const reversedIds: bigint[] = []
  const isOutOfReach = ({ ref }: BatchItem) => lines.get(ref)?.some(isSettledOrReversed)
  for (const item of [...items, ...others.filter(isOutOfReach)]) {
    const [line, ...more] = lines.get(item.ref) ?? []
    const problem = more.length > 0 ? 'the acquirer reports it twice' : problemWithLine(batch, item, line)
    if (problem) return notReleasable(`transaction ${item.paymentId}: ${problem}`)
    if (line?.reversed) reversedIds.push(item.paymentId)
    if (!line || !isInSomeBatch(line.settledIn)) continue
    const ids = settled.get(line.settledIn) ?? []
    ids.push(item.paymentId)
    settled.set(line.settledIn, ids)
  }
  // What the acquirer may still accept must not be settled in another batch meanwhile.
  if (!items.some(isOutOfReach))
    return notReleasable(
      'the acquirer has none of its transactions in another batch, has reversed none, and may still accept it',
    )
  return ok({ settled, reversedIds })
}

function isSettledOrReversed({ settledIn, reversed }: ReportLine): boolean {
  return settledIn !== '' || reversed
}

function problemWithLine(
  { ref, currency }: Reported['batch'],
  { totalMinor, isCredit }: BatchItem,
  line: ReportLine | undefined,
): string {
  if (!line) return "the acquirer's report does not have it"
  if (line.reversed && line.settledIn !== '') return 'the acquirer has reversed it and settled it as well'
  // Nobody could void it here afterwards.
  if (line.reversed && isCredit) return 'the acquirer has reversed it, and a credit is not voided'
  if (line.kind !== (isCredit ? 'refund' : 'sale')) return `the acquirer reports it as a ${line.kind}`
  const here = { minor: totalMinor, currency }
  if (!line.approved) return `the acquirer has not approved it, with us it is ${printWithCurrency(here)}`
  if (!isSameMoney(line.approved, here))
    return `the acquirer has ${printWithCurrency(line.approved)}, with us it is ${printWithCurrency(here)}`
  return line.settledIn === ref ? 'the acquirer has settled it in this very batch: settle again' : ''
}

// Where it is in one, the acquirer reports the reference that we have made for it.
function isInSomeBatch(settledIn: string): settledIn is AcquirerRef {
  return settledIn !== ''
}
