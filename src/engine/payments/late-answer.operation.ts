import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { insertLateNote } from '#engine/payments/attempt-history.store.ts'
import { findAttempt } from '#engine/payments/attempt.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { putUnresolved } from '#engine/payments/unresolved.store.ts'

// Files an answer that came after the attempt had been resolved by others. It changes no state; but an
// approval of something that we have called declined or not sent must not stand, so it is reversed.
export async function fileLateAnswer(
  needs: Pick<PaymentNeeds, 'db' | 'clock' | 'log'>,
  attempt: Attempt,
  answer: AcquirerAnswer,
): Promise<void> {
  const at = needs.clock.now()
  const current = await findAttempt(needs.db, { account: attempt.accountId, attempt: attempt.attemptId })
  const state = current?.state ?? attempt.state
  const { attemptId, fence } = attempt
  const isReversed = answer.kind === 'approved' && (state === 'declined' || state === 'not_sent')
  await needs.db.inTransaction((tx) =>
    Promise.all([
      insertLateNote(tx, { attemptId, state, fence, cause: answer.kind, at }),
      isReversed ? putUnresolved(tx, { ids: [attemptId], at, isLate: true, isFound: false }) : null,
    ]),
  )
  if (!isReversed) return
  needs.log.error({ attemptId: String(attemptId), state }, 'An approval came too late and is reversed')
}
