import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { loadMerchants } from '#engine/merchants/merchant.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import { shareStatement } from '#platform/postgres/batcher.ts'
import { Remembered } from '#platform/remembered.ts'

export type MerchantReads = { add(account: AccountId): Promise<readonly Merchant[]> }

export function listMerchants(
  needs: { readonly merchantReads: MerchantReads },
  account: AccountId,
): Promise<readonly Merchant[]> {
  return needs.merchantReads.add(account)
}

// Callers that ask at the same time share one statement.
export function merchantReader({ db }: Pick<EngineContext, 'db'>): MerchantReads {
  return shareStatement((accounts) => loadMerchants(db, accounts))
}

type AccountMerchants = { readonly account: AccountId; readonly merchants: readonly Merchant[] }

export type RememberedMerchants = MerchantReads & {
  forget(account: AccountId): void
  forgetAll(): void
}

// The same with a memory: merchant records and their fee rules change rarely and are needed by every
// charge. Whoever hears that they have changed has them forgotten.
export function rememberingMerchants(
  reads: MerchantReads,
  { clock }: Pick<EngineContext, 'clock'>,
): RememberedMerchants {
  const memory = new Remembered<AccountMerchants>({
    entriesMax: 10_000,
    forMs: 5_000,
    groupOf: ({ account }) => String(account),
  })
  return {
    add: async (account) => {
      const [key, nowMs] = [String(account), clock.now().epochMilliseconds]
      const read = async () => ({ account, merchants: await reads.add(account) })
      const known = memory.find(key, nowMs) ?? (await memory.findOrRead(key, nowMs, read))
      return known?.merchants ?? []
    },
    forget: (account) => memory.forget(String(account)),
    forgetAll: () => memory.forgetAll(),
  }
}
