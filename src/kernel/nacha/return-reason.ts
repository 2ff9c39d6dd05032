// The reasons that only an operator of the ACH network gives, not the bank that holds the account.
const reasonsOfTheNetwork: ReadonlySet<string> = new Set(
  'R13 R18 R19 R25 R26 R27 R28 R30 R32 R34 R35 R36'.split(' '),
)

// What a debit or credit is that came back for this reason.
export function statusAfterReturn(code: string): 'failed' | 'returned' {
  return reasonsOfTheNetwork.has(code) ? 'failed' : 'returned'
}
