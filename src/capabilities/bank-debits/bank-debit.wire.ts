import { Type } from 'typebox'
import { WireFlag, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'

// What all three operations on bank accounts answer.
export const bankMembers = {
  AuthID: WireText(20, 'Our authorization of the transfer; empty when nothing was recorded.'),
  TxApproved: WireFlag('Recorded: it goes to the bank with the next settlement, or never.'),
  TxID: Type.Integer({ description: 'The transaction; 0 when nothing was recorded.' }),
}
export const BankResult = Type.Object(bankMembers)

export function bankMembersOf(attempt: Attempt | null): WireOf<typeof BankResult> {
  return {
    AuthID: attempt?.approvalCode ?? '',
    TxApproved: attempt?.state === 'approved',
    TxID: attempt ? Number(attempt.attemptId) : 0,
  }
}

export function refusedBankMembers(attempt: Attempt | null): WireOf<typeof BankResult> {
  return { AuthID: '', TxApproved: false, TxID: attempt ? Number(attempt.attemptId) : 0 }
}
