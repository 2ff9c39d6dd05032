import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { markErased } from '#capabilities/bank-debits/bank-account-age.store.ts'
import type { EngineContext } from '#engine/context.ts'

const portion = 500

type Needs = Pick<AchNeeds, 'bankAccountDays'> & Pick<EngineContext, 'db' | 'clock' | 'vault'>

// Erases the numbers of accounts whose debits are over for so long that nobody needs them, neither for a
// credit nor to print a file again, and answers how many. By real time, so that a clock that is ahead erases
// nothing early.
export async function eraseBankAccounts(needs: Needs): Promise<number> {
  const at = needs.clock.now()
  const before = at.subtract({ hours: 24 * needs.bankAccountDays })
  let erased = 0
  for (;;) {
    const accounts = await needs.db.inTransaction(async (tx) => {
      const doomed = await markErased(tx, { before, at, most: portion })
      await needs.vault.eraseBankAccounts(tx, { accounts: doomed, at })
      return doomed
    })
    erased += accounts.length
    if (accounts.length === 0) return erased
  }
}
