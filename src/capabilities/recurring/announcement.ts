import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Money } from '#kernel/money.ts'

// A payment of which the payer is told some days before it is due.
export type Announcement = {
  readonly instalmentId: InstalmentId
  readonly planId: PlanId
  readonly consentId: ConsentId
  readonly paymentNumber: number
  readonly dueOn: Temporal.PlainDate
  readonly announceOn: Temporal.PlainDate
  readonly amount: Money
  // When it was last made or moved, which may be after the time of day at which others are announced.
  readonly scheduledAt: Temporal.Instant
}

export function announcementText({ dueOn }: Announcement): string {
  return `Due on ${dueOn.toString()}`
}
