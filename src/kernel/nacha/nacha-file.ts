// A file of the ACH network, as people would tell it.
export type NachaFile = {
  readonly header: NachaHeader
  readonly batches: readonly NachaBatch[]
}

export type NachaHeader = {
  // Routing number of the bank that the file is handed to.
  readonly destination: string
  readonly destinationName: string
  // Ten characters that the bank knows us by.
  readonly origin: string
  readonly originName: string
  readonly createdOn: Temporal.PlainDate
  readonly createdAt: Temporal.PlainTime
  // Tells files of one day apart: A to Z, then 0 to 9.
  readonly modifier: string
  readonly reference: string
}

export type NachaBatch = {
  readonly companyName: string
  readonly companyId: string
  // PPD: accounts of persons; WEB: the same, authorized on a web page; CCD: of businesses; COR: notices of
  // change.
  readonly entryClass: string
  // What the payer reads on the statement, such as SALE.
  readonly description: string
  readonly effectiveOn: Temporal.PlainDate | null
  // The first eight digits of the originating bank's routing number.
  readonly originatingBank: string
  readonly number: number
  readonly entries: readonly NachaEntry[]
}

export type NachaEntry = {
  readonly transactionCode: string
  readonly routingNumber: string
  readonly accountNumber: string
  readonly amountMinor: bigint
  readonly individualId: string
  readonly name: string
  // Of WEB entries: S authorized for once, R for a series. Empty elsewhere.
  readonly discretionary?: string
  // Fifteen digits: the originating bank, then a number that rises within the file.
  readonly trace: string
  readonly addenda: NachaAddenda | null
}

export type NachaAddenda =
  | { readonly kind: 'return'; readonly code: string; readonly originalTrace: string }
  | {
      readonly kind: 'change'
      readonly code: string
      readonly originalTrace: string
      readonly corrected: string
    }

// The second digit tells the direction: 0 to 4 credit an account, 5 to 9 debit it.
export function isDebit(code: string): boolean {
  return Number(code[1]) >= 5
}

// Checking accounts are 2x, savings accounts 3x; a return repeats the kind and ends in 1 or 6.
export function transactionCode(account: 'checking' | 'savings', direction: 'debit' | 'credit'): string {
  return `${account === 'checking' ? 2 : 3}${direction === 'debit' ? 7 : 2}`
}
