import type { ConsentToCharge } from '#capabilities/consents/consent.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Ask } from '#engine/payments/pay.operation.ts'
import type { Secret } from '#kernel/secret.ts'
import type { CardOpening } from '#engine/vault/vault.ts'

type StoredCardQuestion = {
  readonly consent: Pick<ConsentToCharge, 'details' | 'networkId'>
  readonly merchant: Merchant
  readonly isRecurring: boolean
  // null: the card is erased.
  readonly open: () => Promise<CardOpening | null>
  // Where the payer is there to type it.
  readonly securityCode?: Secret
}

// Asks the acquirer with the card that is stored under a consent. It is opened only now, and lives no longer
// than the question.
export function askWithStoredCard(
  { acquirer, log }: Pick<EngineContext, 'acquirer' | 'log'>,
  { consent: { details, networkId }, merchant, isRecurring, open, securityCode }: StoredCardQuestion,
): Ask {
  return async (attempt, signal) => {
    const opening = await open()
    // Cancelled and erased in the very moment after this charge was recorded: no byte leaves.
    if (!opening) return { kind: 'not_sent' }
    if (opening.kind === 'unreadable') {
      const attemptId = String(attempt.attemptId)
      log.error({ err: opening.fault, attemptId }, 'A stored card is unreadable')
      return { kind: 'not_sent' }
    }
    const { number, expiry } = opening
    return await acquirer.authorize(
      {
        ref: attempt.ref,
        card: {
          number,
          expiry,
          securityCode: securityCode ?? null,
          street: details.street,
          zip: details.zip,
        },
        amount: attempt.amounts.total,
        fee: attempt.amounts.fee,
        terminal: { terminalId: merchant.terminalId, merchantName: merchant.name },
        storedCard: { networkId },
        isRecurring,
      },
      signal,
    )
  }
}
