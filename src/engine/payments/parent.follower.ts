import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { hasApproval, hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved, Start } from '#engine/payments/follower.ts'
import {
  creditSales,
  lockSales,
  readSales,
  releaseSales,
  type SaleTaking,
  shareLockRecords,
  takeSales,
  voidSales,
} from '#engine/payments/payment.store.ts'
import { obstacleToUndoingSale } from '#engine/payments/sale-standing.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// What a credit knew of its sale when its fee was worked out; null for a void.
export type ParentDetail = { readonly creditedMinor: bigint } | null

// The sale of a void or credit: taken before anything is sent, so that it can neither be voided twice, nor
// credited beyond its amount, nor settled meanwhile.
export const parentFollower: Follower<ParentDetail> = {
  name: 'parent',
  begin: async (tx, starts) => {
    const takings = starts.map(takingOf)
    const [free] = await Promise.all([shareLockRecords(tx, takings), lockSales(tx, takings)])
    const taken = free.length > 0 ? await takeSales(tx, free) : new Set<string>()
    const missed = takings.filter(({ ref }) => !taken.has(ref))
    return missed.length > 0 ? refusalsFor(tx, missed, free) : new Map()
  },
  follow: async (tx, moved) => {
    const takings = moved.map(({ move, subject }) => {
      return { sale: subject, ref: move.attempt.ref, kind: move.attempt.kind, to: move.to }
    })
    const voided = takings.filter(({ to, kind }) => to === 'approved' && kind === 'void')
    const undone = takings.filter(({ to }) => hasNoEffect(to))
    const credits = moved.flatMap(creditOf)
    const at = moved[0]?.move.at
    await Promise.all([
      voided.length > 0 && at ? voidSales(tx, voided, at) : null,
      credits.length > 0 && at ? creditSales(tx, credits, at) : null,
      undone.length > 0 ? releaseSales(tx, undone) : null,
    ])
  },
}

function takingOf({ attempt, subject, detail }: Start<ParentDetail>): SaleTaking {
  return {
    account: attempt.accountId,
    merchant: attempt.merchantNumber,
    sale: subject,
    ref: attempt.ref,
    creditedMinor: detail?.creditedMinor ?? 0n,
    creditMinor: attempt.kind === 'credit' ? attempt.amounts.total.minor : 0n,
  }
}

function creditOf({ move: { attempt, to }, subject }: Moved) {
  const isCredited = attempt.kind === 'credit' && hasApproval(to)
  return isCredited ? [{ sale: subject, ref: attempt.ref, credit: attempt.approved }] : []
}

async function refusalsFor(
  tx: Tx,
  missed: readonly SaleTaking[],
  free: readonly SaleTaking[],
): Promise<ReadonlyMap<AcquirerRef, Refusal<string>>> {
  const sales = await readSales(
    tx,
    missed.map(({ sale }) => sale),
  )
  return new Map(
    missed.map((taking) => {
      const isClosing = !free.includes(taking)
      const standing = sales.get(taking.sale)
      const own = standing?.account === taking.account ? standing : null
      const problem = isClosing
        ? 'its day is being closed at this moment'
        : obstacleToUndoingSale(taking, own)
      return [taking.ref, refuse('sale_not_open', { problem }).refusal]
    }),
  )
}
