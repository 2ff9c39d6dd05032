import type { AttemptId, PaymentDetails } from '#engine/payments/attempt.ts'
import type { BankAccountId } from '#engine/vault/vault.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { type Money, printMoney } from '#kernel/money.ts'

// returned: sent back by the payer's bank. failed: sent back by the network, and no bank has seen it.
export type BankItemStatus = 'open' | 'settled' | 'failed' | 'returned' | 'void'

// One debit or credit of a bank account, from the call that made it to the file that carries it.
export type BankItem = {
  readonly attemptId: AttemptId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly kind: 'debit' | 'credit'
  // The debit of a credit.
  readonly parentId: bigint | null
  readonly status: BankItemStatus
  readonly total: Money
  readonly credited: Money
  // As it was sent.
  readonly bankAccountId: BankAccountId
  // What its bank says is right, once it has sent a notice of change.
  readonly correctedAccountId: BankAccountId | null
  readonly details: PaymentDetails
  readonly batchId: bigint | null
  readonly trace: string | null
  readonly returnCode: string
  // Of the last notice of change.
  readonly correctionCode: string
  // The number of its account is no longer kept.
  readonly isAccountErased: boolean
}

type Standing = Omit<
  BankItem,
  | 'attemptId'
  | 'accountId'
  | 'merchantNumber'
  | 'parentId'
  | 'bankAccountId'
  | 'correctedAccountId'
  | 'details'
  | 'trace'
>

// The payer has the money of it again.
export function hasComeBack({ status }: Pick<BankItem, 'status'>): boolean {
  return status === 'returned' || status === 'failed'
}

// Why a debit, or a credit of one, cannot be voided now, for people.
export function obstacleToVoid(item: Standing | null): string {
  if (!item) return noDebit
  if (item.status === 'settled')
    return item.kind === 'debit' ? 'it is settled: credit it instead' : 'it is settled'
  if (item.status !== 'open' || item.batchId !== null || item.credited.minor === 0n) return obstacleTo(item)
  return item.credited.minor === item.total.minor
    ? 'it has been credited in full: void its credits first'
    : 'it has been credited in part: void its credits first, or credit the rest of it instead'
}

export function obstacleToCredit(item: Standing | null): string {
  if (item?.kind !== 'debit') return noDebit
  const isCreditable = item.status === 'settled' || (item.status === 'open' && item.batchId === null)
  if (!isCreditable) return obstacleTo(item)
  if (item.isAccountErased) return 'the number of its account is no longer kept'
  const left = { minor: item.total.minor - item.credited.minor, currency: item.total.currency }
  return `only ${printMoney(left)} of it is left`
}

const noDebit = 'it is no bank debit'

function obstacleTo(item: Standing): string {
  if (item.status === 'void') return 'it is voided'
  if (item.status === 'failed') return `the network has sent it back (${item.returnCode})`
  if (item.status === 'returned') return `its bank has sent it back (${item.returnCode})`
  return 'it is on its way to the bank'
}
