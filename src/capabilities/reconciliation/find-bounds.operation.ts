import {
  findAttemptFrom,
  findNewestAttempt,
  findUtmostAheadMs,
  type Period,
} from '#capabilities/reconciliation/reconciliation.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// Nodes have clocks of their own, and an id is drawn a little before or after its moment.
const room = { hours: 1 }

// All attempts of the period have ids from the first up to, but not including, the end.
export type Bounds = { readonly first: bigint; readonly end: bigint }

// Ids grow with real time, and no account is behind it. So both ends are found by halving, with room for the
// account that is furthest ahead, and nothing outside of them is ever looked through.
export async function findBounds(db: Queryable, { from, to }: Period): Promise<Bounds> {
  const [newest, milliseconds] = await Promise.all([findNewestAttempt(db), findUtmostAheadMs(db)])
  const ahead = { milliseconds }
  const [first, end] = await Promise.all([
    findFirstSince(db, { newest, since: from.subtract(ahead).subtract(room) }),
    findFirstSince(db, { newest, since: to.add(ahead).add(room) }),
  ])
  return { first, end }
}

type Search = { readonly newest: bigint; readonly since: Temporal.Instant }

async function findFirstSince(db: Queryable, { newest, since }: Search): Promise<bigint> {
  let [low, high] = [0n, newest + 1n]
  while (low < high) {
    const middle = (low + high) / 2n
    const probe = await findAttemptFrom(db, middle)
    if (probe && Temporal.Instant.compare(probe.createdAt, since) < 0) low = probe.id + 1n
    else high = middle
  }
  return low
}
