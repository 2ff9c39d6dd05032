import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { Sending } from '#engine/restore-guard/sending.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'

export type Recovery = { stop(): Promise<void> }

// Looks for attempts to recover again and again. Every node does: an attempt is taken by its fence, so they
// never work on the same one, and a node that dies needs no successor to be chosen.
export function runRecovery(needs: PaymentNeeds, sending: Sending): Recovery {
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let turn: Promise<void> = Promise.resolve()
  const again = () => {
    if (isStopping) return
    timer = setTimeout(() => {
      turn = lookOnce(needs, sending).finally(again)
    }, needs.patience.recoveryMs)
  }
  again()
  return {
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      await turn
    },
  }
}

async function lookOnce(needs: PaymentNeeds, sending: Sending): Promise<void> {
  if (sending.hold) return
  try {
    await recoverAttempts(needs)
  } catch (error) {
    needs.log.warn({ err: error }, 'Attempts could not be recovered; trying again')
  }
}
