import { findOwners } from '#capabilities/currency/currency.store.ts'
import { type Named, ownerKey } from '#capabilities/currency/owner-key.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantsFor } from '#engine/merchants/merchant.ts'

type Needs = Pick<EngineContext, 'db' | 'merchantReads'>
type Request = Omit<Named, 'owner'> & {
  // null: a search in all records of the caller.
  readonly owner: Named['owner'] | null
}

// Whether references of a request may hold what looks like a card number: where the operator has recorded why
// those of the merchant record do.
export async function mayLookLikeCards(
  needs: Needs,
  caller: Caller,
  { owner, body }: Request,
): Promise<boolean> {
  const records = merchantsFor(caller, await listMerchants(needs, caller.accountId))
  const allowing = records.filter(({ cardLikeReferencesReason }) => cardLikeReferencesReason !== '')
  if (allowing.length === 0 || !owner) return allowing.length > 0
  const numbers = new Set(allowing.map(({ merchantNumber }) => merchantNumber))
  const owners = await findOwners(needs.db, ownerKey(caller, { owner, body }))
  return owners.length > 0 && owners.every(({ merchantNumber }) => numbers.has(merchantNumber))
}
