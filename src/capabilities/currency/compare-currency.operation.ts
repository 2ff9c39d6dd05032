import { findCurrencies } from '#capabilities/currency/currency.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { CurrencyOwner } from '#capabilities/wire/contract.ts'
import type { NamedCurrency } from '#capabilities/wire/other-members.ts'
import type { EngineContext } from '#engine/context.ts'
import { refuse, type Refusal } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db'>
type Named = {
  readonly owner: CurrencyOwner
  readonly body: object
  readonly currencies: readonly NamedCurrency[]
}

// A caller who names a currency is refused where the merchant record has another one. What the caller cannot
// see has none: the operation refuses it in its own words.
export async function compareCurrency(
  { db }: Needs,
  { accountId, merchantNumber }: Caller,
  { owner, body, currencies }: Named,
): Promise<Refusal<'value_out_of_range'> | null> {
  const things = [memberAt(body, owner.path)].flat()
  const found = await findCurrencies(db, {
    account: accountId,
    only: merchantNumber,
    kind: owner.kind,
    ids: things.flatMap((thing) => (typeof thing === 'number' ? [BigInt(thing)] : [])),
    names: things.flatMap((thing) => (typeof thing === 'string' ? [thing.toLowerCase()] : [])),
  })
  for (const { member, currency } of currencies) {
    const other = found.find((one) => one !== currency)
    if (other === undefined) continue
    return refuse('value_out_of_range', {
      problem: `${member} must be ${other}, the currency of the merchant record`,
    }).refusal
  }
  return null
}

function memberAt(body: object, path: string): unknown {
  return path.split('.').reduce<unknown>((outer, name) => Reflect.get(Object(outer), name), body)
}
