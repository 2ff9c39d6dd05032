import { insertItems } from '#capabilities/bank-debits/bank-item.store.ts'
import type { Follower } from '#engine/payments/follower.ts'

// The item that a debit or credit of a bank account becomes: it waits for the next file. The subject is the
// bank account in the vault.
export const bankItemFollower: Follower<null> = {
  name: 'bank_item',
  begin: async () => new Map(),
  follow: async (tx, moved) => {
    const made = moved.filter(({ move }) => move.to === 'approved')
    const at = made[0]?.move.at
    const items = made.map(({ move, subject }) => ({ attempt: move.attempt, bankAccount: subject }))
    if (at) await insertItems(tx, items, at)
  },
}
