import type { AchBank } from '#engine/acquirers/ach-bank.ts'

// By whom files are handed in, as agreed with the bank that takes them.
export type AchOrigin = {
  // Routing number of that bank.
  readonly bankRouting: string
  readonly bankName: string
  // Ten characters by which the bank knows the operator.
  readonly companyId: string
}

export type AchNeeds = {
  readonly achOrigin: AchOrigin
  // The simulated bank, which sends returns by itself; null where a real bank's files are read by hand.
  readonly achBank: AchBank | null
  // So many days after the last thing that happened to a debit the number of its account is erased.
  readonly bankAccountDays: number
}
