import type { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'

// The body of the call that a newcomer makes first.
export function firstCallBody({
  accountCode,
  token,
}: Pick<Sandbox, 'accountCode' | 'token'>): WireOf<typeof authenticateContract.request> {
  return { AcctCode: accountCode, Token: token.reveal() }
}

// And of the one that moves money, as far as the sandbox does.
export function firstPaymentBody({ consents }: Pick<Sandbox, 'consents'>) {
  return { ConsentID: consents.visa ?? 0, Amounts: { BaseAmt: 10.1 } }
}
