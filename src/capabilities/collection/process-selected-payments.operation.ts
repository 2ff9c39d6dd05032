import { answerRun, keepRun } from '#capabilities/collection/keep-run.operation.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import { portionSize, type RunNeeds, startRun } from '#capabilities/collection/run-instalments.operation.ts'
import { type Instalment, type InstalmentId, whyNotOpen } from '#capabilities/recurring/instalment.ts'
import { claimNamedInstalments } from '#capabilities/recurring/claim-instalments.operation.ts'
import { findInstalments } from '#capabilities/recurring/find-instalment.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type Selection = { readonly instalments: readonly InstalmentId[] }

type SelectionRefusal = 'schedule_not_found' | 'schedule_not_open' | 'schedule_listed_twice'

// Charges exactly the named instalments, due or not, or none of them.
export async function processSelectedPayments(
  needs: RunNeeds,
  caller: Caller,
  { instalments }: Selection,
): Promise<Result<Processed, SelectionRefusal | 'key_running'>> {
  const { accountId } = caller
  const found = await findInstalments(needs, accountId, instalments)
  const judged = judge(caller, instalments, await withObstacles(needs, caller, found))
  if (!judged.ok) return judged
  const kept = await keepRun(needs, caller, { merchantNumber: recordOf(found), named: instalments })
  if (!kept.ok) return kept
  const userId = String(caller.userId)
  const portions = portionsOf(instalments)
  const run = startRun(needs, {
    accountId,
    charger: { origin: 'API', userId, takesNamed: true, run: kept.value?.runId ?? null },
    named: instalments,
    nextPortion: async (claim) => {
      const named = portions.next()
      if (named.done) return null
      const claimed = await claimNamedInstalments(needs, { accountId, instalments: named.value }, claim)
      const own = new Set(claimed.map(({ instalmentId }) => instalmentId))
      return { claimed, leftOut: named.value.filter((one) => !own.has(one)) }
    },
  })
  return ok(await answerRun(needs, { kept: kept.value, run }))
}

// null: they are of several.
function recordOf(instalments: readonly Instalment[]): MerchantNumber | null {
  const [first = null, ...others] = new Set(instalments.map(({ merchantNumber }) => merchantNumber))
  return others.length > 0 ? null : first
}

// null: it may be charged.
type Judged = Pick<Instalment, 'instalmentId' | 'merchantNumber'> & { readonly obstacle: string | null }

async function withObstacles(
  needs: RunNeeds,
  { accountId }: Caller,
  found: readonly Instalment[],
): Promise<readonly Judged[]> {
  const now = needs.accountClock.now(accountId)
  const merchants = await listMerchants(needs, accountId)
  const days = new Map(
    merchants.map(({ merchantNumber, timeZone }) => [merchantNumber, dateIn(timeZone, now)]),
  )
  return found.map((instalment) => {
    const { instalmentId, merchantNumber } = instalment
    const today = days.get(merchantNumber)
    assert(today, 'an instalment has a merchant record')
    const obstacle = whyNotOpen(instalment, today)
    return { instalmentId, merchantNumber, obstacle }
  })
}

function judge(
  caller: Caller,
  named: readonly InstalmentId[],
  found: readonly Judged[],
): Result<null, SelectionRefusal> {
  const byId = new Map(found.map((one) => [one.instalmentId, one]))
  const seen = new Set<InstalmentId>()
  for (const schedule of named) {
    const instalment = byId.get(schedule)
    if (!instalment || !worksFor(caller, instalment)) return refuse('schedule_not_found', { schedule })
    if (seen.has(schedule)) return refuse('schedule_listed_twice', { schedule })
    const { obstacle } = instalment
    if (obstacle !== null) return refuse('schedule_not_open', { schedule, state: obstacle })
    seen.add(schedule)
  }
  return ok(null)
}

function* portionsOf(named: readonly InstalmentId[]): Generator<readonly InstalmentId[]> {
  for (let at = 0; at < named.length; at += portionSize) yield named.slice(at, at + portionSize)
}
