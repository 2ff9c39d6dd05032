// How failed sign-ins lock out whom. Real time, not an account's clock.

// In a row, for one account code from one network.
export const failuresUntilLocked = 6
export const lockMinutes = 30

// A widespread attack: so many failures from so many networks within an hour lock the account for every
// network from which it has not signed in lately.
export const failuresUntilAccountLocked = 60
export const networksUntilAccountLocked = 5

export const knownNetworkFor = Temporal.Duration.from({ hours: 24 * 30 })

export type FailureCounts = { readonly failuresInHour: number; readonly networks: number }

export function isAccountLockedOut({ failuresInHour, networks }: FailureCounts): boolean {
  return failuresInHour >= failuresUntilAccountLocked && networks >= networksUntilAccountLocked
}

// How an account is locked out at this moment.
export type Lockout = {
  // For every network from which the account has not signed in lately.
  readonly isEverywhere: boolean
  // How many networks are locked out each for itself.
  readonly networks: number
}
