import type { OwnerKey } from '#capabilities/currency/currency.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { CurrencyOwner } from '#capabilities/wire/contract.ts'

export type Named = { readonly owner: CurrencyOwner; readonly body: object }

// What a request names that belongs to a merchant record.
export function ownerKey({ accountId, merchantNumber }: Caller, { owner, body }: Named): OwnerKey {
  const things = [memberAt(body, owner.path)].flat()
  return {
    account: accountId,
    only: merchantNumber,
    kind: owner.kind,
    ids: things.flatMap((thing) => (typeof thing === 'number' ? [BigInt(thing)] : [])),
    names: things.flatMap((thing) => (typeof thing === 'string' ? [thing.toLowerCase()] : [])),
  }
}

function memberAt(body: object, path: string): unknown {
  return path.split('.').reduce<unknown>((outer, name) => Reflect.get(Object(outer), name), body)
}
