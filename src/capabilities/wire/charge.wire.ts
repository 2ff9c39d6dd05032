import { Type } from 'typebox'
import { AmountsResult, amountsToWire, moneyToWire, noAmounts } from '#capabilities/wire/amounts.wire.ts'
import type { Reply } from '#capabilities/wire/contract.ts'
import { orNull, WireFlag, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import { type Attempt, hasApproval } from '#engine/payments/attempt.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import { subtractMoney } from '#kernel/money.ts'

export const FeeNote = WireText(
  400,
  'Beyond the specification: why the fee is what it is; empty where the record adds none.',
)

// Spec "Charge a stored card", result; CardSale/Manual answers the same members. FeeNote is beyond the
// specification.
export const ChargeResult = Type.Object({
  AVSresult: WireText(1, 'How street and zip compared; empty when not checked.'),
  CVVresult: WireText(1, 'How the security code compared; empty when not sent.'),
  AcquirerResponseEMV: orNull(WireText(400, 'Always null: no chip is read here.')),
  IsPartialApproval: WireFlag('Less than the total was approved.'),
  RequiresVoiceAuth: WireFlag('The issuer wants to be called (codes 01 and 02).'),
  ResponseApprovedAmount: Type.Number({ description: 'What was approved.' }),
  ResponseAuthorizedAmount: Type.Number({ description: 'The same.' }),
  ResponseBalanceAmount: Type.Number({ description: 'What is left to pay after a partial approval.' }),
  TxApproved: WireFlag('Approved, in full or in part.'),
  TxID: Type.Integer({ description: 'The transaction; 0 when nothing was recorded.' }),
  TxnCode: WireText(12, 'The approval code, or the decline code.'),
  ApprovedAmounts: AmountsResult,
  FeeNote,
})

export const sandboxReason = 'Sandbox-Reason'

// Approved, partial or declined; what is unknown or reversed is a refusal and is told by its own code.
export function chargeToWire(attempt: Attempt): Reply<WireOf<typeof ChargeResult>> {
  return { message: chargeText(attempt), members: chargeMembers(attempt), notes: sandboxNotes(attempt) }
}

export function chargeText({ state, approvalCode, resultCode }: Attempt): string {
  return hasApproval(state) ? `APPROVED ${approvalCode}` : declineText(resultCode)
}

// In the sandbox an answer says which documented value provoked it.
export function sandboxNotes({ provokedBy = '' }: Attempt): Readonly<Record<string, string>> {
  return provokedBy === '' ? {} : { [sandboxReason]: provokedBy.replace(/[^ -~]/g, '?') }
}

function chargeMembers(attempt: Attempt): WireOf<typeof ChargeResult> {
  const { amounts, approved, state, resultCode } = attempt
  const zero = { minor: 0n, currency: attempt.currency }
  const counted = hasApproval(attempt.state) ? approved : amountsOf(zero, zero)
  return {
    AVSresult: attempt.avs,
    CVVresult: attempt.cvv,
    AcquirerResponseEMV: null,
    IsPartialApproval: state === 'partial',
    RequiresVoiceAuth: state === 'declined' && (resultCode === '01' || resultCode === '02'),
    ResponseApprovedAmount: moneyToWire(counted.total),
    ResponseAuthorizedAmount: moneyToWire(counted.total),
    ResponseBalanceAmount:
      state === 'partial' ? moneyToWire(subtractMoney(amounts.total, approved.total)) : 0,
    TxApproved: hasApproval(attempt.state),
    TxID: Number(attempt.attemptId),
    TxnCode: resultCode,
    ApprovedAmounts: amountsToWire(counted),
    FeeNote: hasApproval(state) ? attempt.details.feeDecision : '',
  }
}

// A refused charge; its transaction is named once an attempt was recorded.
export function refusedCharge(attempt: Attempt | null): WireOf<typeof ChargeResult> {
  return {
    AVSresult: '',
    CVVresult: '',
    AcquirerResponseEMV: null,
    IsPartialApproval: false,
    RequiresVoiceAuth: false,
    ResponseApprovedAmount: 0,
    ResponseAuthorizedAmount: 0,
    ResponseBalanceAmount: 0,
    TxApproved: false,
    TxID: attempt ? Number(attempt.attemptId) : 0,
    TxnCode: '',
    ApprovedAmounts: noAmounts,
    FeeNote: '',
  }
}
