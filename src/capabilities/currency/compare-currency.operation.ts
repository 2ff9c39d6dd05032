import { findOwners } from '#capabilities/currency/currency.store.ts'
import { type Named, ownerKey } from '#capabilities/currency/owner-key.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { NamedCurrency } from '#capabilities/wire/other-members.ts'
import type { EngineContext } from '#engine/context.ts'
import { refuse, type Refusal } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db'>
type Compared = Named & { readonly currencies: readonly NamedCurrency[] }

// A caller who names a currency is refused where the merchant record has another one. What the caller cannot
// see has none: the operation refuses it in its own words.
export async function compareCurrency(
  { db }: Needs,
  caller: Caller,
  { owner, body, currencies }: Compared,
): Promise<Refusal<'value_out_of_range'> | null> {
  const found = await findOwners(db, ownerKey(caller, { owner, body }))
  for (const { member, currency } of currencies) {
    const other = found.find((one) => one.currency !== currency)?.currency
    if (other === undefined) continue
    return refuse('value_out_of_range', {
      problem: `${member} must be ${other}, the currency of the merchant record`,
    }).refusal
  }
  return null
}
