import type { AccountId } from '#kernel/ids.ts'

// locked: the operator keeps it out for a while. closed: for good.
export type AccountState = 'open' | 'locked' | 'closed'

export type AccountSettings = {
  readonly description: string
  readonly bindsAddress: boolean
  readonly allowsPartialApprovals: boolean
  readonly allowsAlternateMerchants: boolean
  readonly verifiesCards: boolean
}

export type Account = AccountSettings & {
  readonly accountId: AccountId
  readonly accountCode: string
  readonly state: AccountState
  readonly createdAt: Temporal.Instant
}

export const accountDefaults: AccountSettings = {
  description: '',
  bindsAddress: false,
  allowsPartialApprovals: false,
  allowsAlternateMerchants: false,
  verifiesCards: true,
}

const accountCodePattern = /^[A-Z]{2}[0-9]{7}$/

export function isAccountCode(text: string): boolean {
  return accountCodePattern.test(text)
}
