import type { Processed, ProcessedPayment } from '#capabilities/collection/processed.ts'
import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'

export type RunId = Branded<bigint, 'RunId'>

// A run of instalments that was asked for under an idempotency key.
export type KeyedRun = {
  readonly runId: RunId
  readonly accountId: AccountId
  // Null where its payments are of several records.
  readonly merchantNumber: MerchantNumber | null
  readonly state: Processed['ending']
}

// What has a place in an answer, with its place in the open batch; 0 where it has none.
export type ToldInstalment = { readonly instalmentId: InstalmentId; readonly place: number }

// An answer as far as rows cannot tell it: which instalments, in which order, and in which places. What was
// named and is not told yet comes last.
export function toldIn(processed: Processed, named: readonly InstalmentId[]): readonly ToldInstalment[] {
  const { approved, declined, unknown, untouched } = processed
  const told = new Map<InstalmentId, number>([...approved, ...declined, ...unknown].map(placeOf))
  for (const one of [...untouched, ...named]) if (!told.has(one)) told.set(one, 0)
  return Array.from(told, ([instalmentId, place]) => ({ instalmentId, place }))
}

export function isSameTold(one: ToldInstalment, other: ToldInstalment | undefined): boolean {
  return one.instalmentId === other?.instalmentId && one.place === other.place
}

function placeOf({ instalmentId, sequence }: ProcessedPayment): readonly [InstalmentId, number] {
  return [instalmentId, sequence]
}

// The places of an answer that is told again: those that were told, and the next ones for what was approved
// since. Asked in the order in which payments are told.
export function placesIn(told: readonly ToldInstalment[]): (instalment: Placed) => number {
  const before = new Map(told.map(({ instalmentId, place }) => [instalmentId, place]))
  const highest = new Map<MerchantNumber, number>()
  return ({ instalmentId, merchantNumber }) => {
    const place = before.get(instalmentId) || (highest.get(merchantNumber) ?? 0) + 1
    highest.set(merchantNumber, place)
    return place
  }
}

type Placed = Pick<Instalment, 'instalmentId' | 'merchantNumber'>
