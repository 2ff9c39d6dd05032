import type { Follower } from '#engine/payments/follower.ts'
import { releaseSales, takeSales, voidSales } from '#engine/payments/payment.store.ts'
import { refuse } from '#kernel/result.ts'

// The sale of a void: taken before anything is sent, so that it can neither be voided twice nor settled
// meanwhile.
export const parentFollower: Follower<null> = {
  name: 'parent',
  begin: async (tx, starts) => {
    const takings = starts.map(({ attempt, subject }) => ({
      account: attempt.accountId,
      sale: subject,
      ref: attempt.ref,
    }))
    const taken = await takeSales(tx, takings)
    const missed = takings.filter(({ ref }) => !taken.has(ref))
    return new Map(missed.map(({ ref }) => [ref, refuse('sale_not_open').refusal]))
  },
  follow: async (tx, moved) => {
    const takings = moved.map(({ move, subject }) => ({ sale: subject, ref: move.attempt.ref, to: move.to }))
    const done = takings.filter(({ to }) => to === 'approved')
    const undone = takings.filter(({ to }) => to === 'declined' || to === 'not_sent' || to === 'refused')
    const at = moved[0]?.move.at
    await Promise.all([
      done.length > 0 && at ? voidSales(tx, done, at) : null,
      undone.length > 0 ? releaseSales(tx, undone) : null,
    ])
  },
}
