import { verifyLedger } from '#engine/ledger/post.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const checkLedgerTask = definePeriodicTask<Pick<PaymentNeeds, 'db' | 'log'>>({
  kind: 'ledger.check',
  every: { hours: 1 },
  run: async ({ db, log }) => {
    const { isSound, lines } = await verifyLedger(db)
    if (isSound) return
    const told = lines.map(({ currency, posted, expected }) => {
      return { currency, posted: String(posted), expected: String(expected) }
    })
    log.error({ lines: told }, 'The books do not agree with the payments')
  },
})
