import type { AuthorizeRequest } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Ask } from '#engine/payments/pay.operation.ts'

type GivenCardQuestion = Pick<AuthorizeRequest, 'card' | 'payerProof'> & {
  readonly merchant: Pick<Merchant, 'terminalId' | 'name'>
}

// Asks the acquirer with a card that the caller or the payer has just given. The security code goes to the
// issuer and nowhere else.
export function askWithGivenCard(
  { acquirer }: Pick<EngineContext, 'acquirer'>,
  { merchant, ...given }: GivenCardQuestion,
): Ask {
  const terminal = { terminalId: merchant.terminalId, merchantName: merchant.name }
  return ({ ref, amounts }, signal) =>
    acquirer.authorize(
      {
        ...given,
        ref,
        amount: amounts.total,
        fee: amounts.fee,
        terminal,
        storedCard: null,
        isRecurring: false,
      },
      signal,
    )
}
