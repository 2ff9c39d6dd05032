import { findFormSetting } from '#capabilities/forms/form-setting.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Mode } from '#platform/crypto/key-file.ts'
import { readTarget } from '#platform/outbound/target-rule.ts'

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

type TargetRule = {
  readonly member: string
  readonly mode: Mode
  // Registered by the merchant record; in live mode nobody is told or sent elsewhere.
  readonly origins: readonly string[]
  // By the payer's browser, not by us.
  readonly isVisited: boolean
}

// An address that payers are sent to or that is told of their payments; empty where there is none.
export function judgeTarget(
  text: string,
  { member, mode, origins, isVisited }: TargetRule,
): Result<string, 'value_out_of_range'> {
  if (text === '') return ok('')
  const no = (problem: string) => refuse('value_out_of_range', { problem: `${member} ${problem}` })
  const target = readTarget(text, mode, { mayHaveFragment: isVisited })
  if (!target.ok) return no(String(target.refusal.details['problem']))
  const { origin, host, href } = new URL(target.value.href)
  if (mode === 'live' && !origins.includes(origin))
    return no(`is on ${host}, which the merchant has not registered`)
  return ok(href)
}
