import type { BankLog, Standing } from './bank-log.ts'

// How a payer's bank takes a sale back and how that ends. A merchant's answer is not simulated, so the end is
// known from the beginning. It follows from what stands and is written down nowhere: sales in the log of an
// earlier bank end in the same way.

export type TakenBack = Pick<Standing, 'ref' | 'reply' | 'at'> & {
  readonly chargebackAt: Temporal.Instant
  // An earlier bank does not say it on its line.
  readonly feeMinor?: bigint
}

export type Dispute = Omit<TakenBack, 'feeMinor'> & {
  readonly reasonCode: string
  readonly decidedAt: Temporal.Instant
  readonly isWon: boolean
}

// The payer says that it was no purchase of theirs (Visa's number for a card that was not present).
const reasonCode = '10.4'
const daysToDecide = 10
// The merchant wins those whose amount without the fee ends so, as it is by that amount that they are opened.
const wonCents = 42n

export function disputeOf({ ref, reply, at, chargebackAt, feeMinor = 0n }: TakenBack): Dispute {
  const decidedAt = chargebackAt.add({ hours: 24 * daysToDecide })
  const isWon = (reply.approvedMinor - feeMinor) % 100n === wonCents
  return { ref, reply, at, chargebackAt, reasonCode, decidedAt, isWon }
}

type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant }

// Those that are opened in this time.
export async function* disputesIn(
  log: Pick<BankLog, 'disputes'>,
  { from, to }: Period,
): AsyncIterable<Dispute> {
  for await (const { chargebackAt, ...standing } of log.disputes(from, to))
    if (chargebackAt) yield disputeOf({ ...standing, chargebackAt })
}
