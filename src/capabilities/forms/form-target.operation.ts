import { findFormSetting } from '#capabilities/forms/form-setting.store.ts'
import { judgeTarget } from '#capabilities/forms/judge-target.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Result } from '#kernel/result.ts'

type Target = {
  readonly account: AccountId
  readonly merchant: MerchantNumber
  readonly url: string
  readonly member: string
}

// Judges an address that payers of a merchant record are sent to, by what the record has registered.
export async function judgeVisitedTarget(
  { db, keyRing }: Pick<EngineContext, 'db' | 'keyRing'>,
  { account, merchant, url, member }: Target,
): Promise<Result<string, 'value_out_of_range'>> {
  const { origins } = await findFormSetting(db, { account, merchant })
  return judgeTarget(url, { mode: keyRing.mode, origins, member, isVisited: true })
}
