import type { Currency } from '#kernel/currency.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'

export type MerchantSettings = {
  readonly name: string
  // The branch.
  readonly location: string
  // In one line.
  readonly address: string
  readonly terminalId: string
  readonly timeZone: string
  readonly currency: Currency
  readonly isInternational: boolean
  readonly takesAch: boolean
}

// A merchant record: one till, branch or website of an account, with its own number.
export type Merchant = MerchantSettings & {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
}
