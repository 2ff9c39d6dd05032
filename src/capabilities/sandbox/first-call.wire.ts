import type { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'

// The body of the call that a newcomer makes first.
export function firstCallBody({ accountCode, token }: Sandbox): WireOf<typeof authenticateContract.request> {
  return { AcctCode: accountCode, Token: token.reveal() }
}
