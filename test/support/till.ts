import type { Caller } from '#capabilities/wire/caller.ts'
import type { Account, AccountSettings } from '#engine/merchants/account.ts'
import { callerKey, makeCaller } from './consent-world.ts'
import { makeAccount, type World } from './session-world.ts'

// An account with one merchant record, and somebody who has signed in to it.
export type Till = { readonly needs: World; readonly account: Account; readonly caller: Caller }

export async function openTill(needs: World, settings: Partial<AccountSettings> = {}): Promise<Till> {
  const account = await makeAccount(needs, settings)
  return { needs, account, caller: await makeCaller(needs, account) }
}

// The same till, whose calls carry this key.
export function withKey(till: Till, key: string, operation = 'CardSale/Manual'): Till {
  const claimed = { ...callerKey(key, operation), fingerprint: Buffer.from(key) }
  return { ...till, caller: { ...till.caller, callerKey: claimed } }
}
