import type { LogRow } from '../../simulator/bank-log.ts'

// What really happened, folded from the rows of the bank's log alone.
export type BankFact = {
  readonly ref: string
  // What the bank holds under the reference now, or has given back under it.
  readonly net: bigint
  readonly wasApproved: boolean
  readonly isVerification: boolean
  // When the first request under it arrived.
  readonly arrivedAtMs: number
}

// Rows in the order in which they were written.
export function bankFacts(rows: readonly LogRow[]): ReadonlyMap<string, BankFact> {
  const facts = new Map<string, BankFact>()
  for (const { verb, ref, reply, isRepeat, amountMinor, at } of rows) {
    const fact = facts.get(ref)
    if ((verb === 'authorize' || verb === 'refund') && !isRepeat) {
      const isApproved = reply.outcome === 'approved'
      facts.set(ref, {
        ref,
        net: isApproved ? reply.approvedMinor : 0n,
        wasApproved: isApproved,
        isVerification: amountMinor === 0n,
        arrivedAtMs: at.epochMilliseconds,
      })
    }
    if (verb === 'reverse' && reply.outcome === 'reversed' && fact) facts.set(ref, { ...fact, net: 0n })
  }
  return facts
}
