// Bank accounts that provoke something, as docs/sandbox.md lists them; every other account settles.
export type AchRow = {
  readonly account: string
  readonly code: string
  readonly meaning: string
}

export const achRows: readonly AchRow[] = [
  { account: '1234567890123451', code: 'R01', meaning: 'not enough funds' },
  { account: '1234567890123452', code: 'R09', meaning: 'funds not collected yet' },
  { account: '1234567890123453', code: 'R10', meaning: 'the payer says it was not authorized' },
  { account: '1234567890123454', code: 'R02', meaning: 'account closed' },
  { account: '1234567890123455', code: 'R03', meaning: 'no such account' },
  { account: '1234567890123456', code: 'R05', meaning: 'a business debit of a personal account' },
  { account: '1234567890123457', code: 'R07', meaning: 'the payer has revoked the authorization' },
  { account: '1234567890123458', code: 'R08', meaning: 'payment stopped' },
  { account: '1234567890123459', code: 'R29', meaning: 'the business says it was not authorized' },
  { account: '1234567890123461', code: 'R13', meaning: 'the network knows no such bank: FAILED' },
  { account: '1234567890123450', code: 'C01', meaning: 'a notice of change: another account number' },
]

// What a notice of change gives as the right account number.
export const correctedAccount = '1918171614'
