import type { Charger } from '#capabilities/collection/charge-instalment.operation.ts'
import { answerRun, keepRun } from '#capabilities/collection/keep-run.operation.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import {
  portionSize,
  type Run,
  type RunNeeds,
  startRun,
} from '#capabilities/collection/run-instalments.operation.ts'
import { claimDueInstalments } from '#capabilities/recurring/claim-instalments.operation.ts'
import type { Instalment } from '#capabilities/recurring/instalment.ts'
import type { DueQuestion } from '#capabilities/recurring/instalment-claim.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantFor } from '#engine/merchants/merchant.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type DueWish = { readonly merchant: MerchantNumber }

// Charges everything that is due for a merchant record.
export async function processDuePayments(
  needs: RunNeeds,
  caller: Caller,
  { merchant: number }: DueWish,
): Promise<Result<Processed, 'merchant_not_found' | 'key_running'>> {
  const { accountId } = caller
  const merchants = await listMerchants(needs, accountId)
  const merchant = merchantFor(caller, merchants, number)
  if (!merchant) return refuse('merchant_not_found', { merchant: number })
  const on = dateIn(merchant.timeZone, needs.accountClock.now(accountId))
  const kept = await keepRun(needs, caller, { merchantNumber: number, named: [] })
  if (!kept.ok) return kept
  const userId = String(caller.userId)
  const charger = { origin: 'API', userId, takesNamed: false, run: kept.value?.runId ?? null } as const
  const due = { accountId, merchant: number, on, collectedOn: null }
  const run = runDue(needs, { due, charger })
  return ok(await answerRun(needs, { kept: kept.value, run }))
}

type DueRun = { readonly due: DueQuestion; readonly charger: Charger }
type Watch = {
  // Aborted: nothing new is begun.
  readonly signal?: AbortSignal
  readonly onPortion?: (portion: readonly Instalment[]) => void
}
// A stretch of what is due: from behind this instalment on, and so many portions at the most.
type Stretch = { readonly behind?: Instalment | null; readonly portionsMax?: number }

// Whoever runs at the same time claims other instalments.
export function runDue(needs: RunNeeds, order: DueRun & Watch & Stretch): Run {
  const { due, charger, signal, onPortion, behind = null, portionsMax = Infinity } = order
  let after: Instalment | null = behind
  let portions = 0
  return startRun(needs, {
    accountId: due.accountId,
    charger,
    named: [],
    nextPortion: async (claim) => {
      if (signal?.aborted || portions >= portionsMax) return null
      portions += 1
      const claimed = await claimDueInstalments(needs, due, { ...claim, after, most: portionSize })
      after = claimed.at(-1) ?? after
      onPortion?.(claimed)
      return claimed.length > 0 ? { claimed, leftOut: [] } : null
    },
  })
}
