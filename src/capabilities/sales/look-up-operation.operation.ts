import type { FoundOperation } from '#capabilities/sales/found-operation.ts'
import {
  findOperationById,
  findOperationsByKey,
  findOperationsByReference,
} from '#capabilities/sales/found-operation.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { type Newest, newestOf, soughtMax } from '#kernel/newest.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type Sought = { readonly by: 'key' | 'reference' | 'transaction'; readonly text: string }

const finders = {
  key: findOperationsByKey,
  reference: findOperationsByReference,
  transaction: findOperationById,
} as const

// Finds again what a caller has asked for and whose answer it may never have heard: by the key of the call,
// by a reference of its own, or by its transaction.
export async function lookUpOperation(
  { db }: Pick<EngineContext, 'db'>,
  { accountId: account, merchantNumber: merchant }: Caller,
  { by, text }: Sought,
): Promise<Result<Newest<FoundOperation>, 'transaction_not_found'>> {
  const found = await finders[by](db, { account, merchant, text, most: soughtMax })
  if (by === 'transaction' && found.length === 0)
    return refuse('transaction_not_found', { transaction: text })
  return ok(newestOf(found))
}
