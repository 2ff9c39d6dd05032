import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'

export type DueQuestion = {
  readonly accountId: AccountId
  readonly merchant: MerchantNumber
  readonly on: Temporal.PlainDate
  // For an automatic run: the day of it.
  readonly collectedOn: Temporal.PlainDate | null
}

export type NamedQuestion = { readonly accountId: AccountId; readonly instalments: readonly InstalmentId[] }

// By real time: from now until when others leave them alone.
export type Claim = { readonly from: Temporal.Instant; readonly until: Temporal.Instant }

export type DueClaim = Claim & {
  readonly most: number
  // Where the last portion ended.
  readonly after: Pick<Instalment, 'attemptOn' | 'instalmentId'> | null
}
