import assert from 'node:assert/strict'
import type pg from 'pg'
import type { startBankProcess } from '../../simulator/start-bank-process.ts'
import { until } from './gateway-process.ts'

// An answer that a caller has heard.
export type Told = {
  readonly key: string | null
  readonly approved: boolean
  readonly transaction: bigint
}

const unsettled = `select count(*)::int as open from attempt
  where state not in ('approved', 'partial', 'declined', 'not_sent', 'reversed', 'refused')`

export async function untilResolved(client: pg.Client): Promise<void> {
  const isQuiet = async () => (await client.query<{ open: number }>(unsettled)).rows[0]?.open === 0
  await until(isQuiet, { what: 'every attempt is resolved', withinMs: 120_000 })
}

const movesMoney: ReadonlySet<string> = new Set(['authorize', 'refund'])

type Row = { readonly id: string; readonly ref: string; readonly approved: string; readonly state: string }

// The bank's log, what callers were told, and the database must tell the same story.
export async function assertNothingLostOrDoubled(
  client: pg.Client,
  told: readonly Told[],
  seen: Awaited<ReturnType<Awaited<ReturnType<typeof startBankProcess>>['readLog']>>,
): Promise<void> {
  const { rows } = await client.query<Row>(
    `select attempt_id::text as id, acquirer_ref as ref, approved_minor::text as approved, state from attempt`,
  )
  const ours = new Map(rows.filter(({ state }) => state === 'approved').map((row) => [row.ref, row.approved]))
  const reversed = new Set(seen.filter(({ verb }) => verb === 'reverse').map(({ ref }) => ref))
  const atBank = new Map(
    seen
      .filter(({ verb, reply }) => movesMoney.has(verb) && reply.outcome === 'approved')
      .filter(({ ref }) => !reversed.has(ref))
      .map(({ ref, reply }) => [ref, String(reply.approvedMinor)]),
  )
  assert.deepEqual(ours, atBank, 'the bank and we agree')
  const approvedIds = new Set(rows.filter(({ state }) => state === 'approved').map(({ id }) => id))
  for (const one of told.filter(({ approved }) => approved)) {
    assert.ok(
      approvedIds.has(String(one.transaction)),
      `the approval of ${one.transaction} was told and stands`,
    )
  }
  const byKey = Map.groupBy(
    told.filter(({ key }) => key !== null),
    ({ key }) => key,
  )
  for (const [key, answers] of byKey) {
    assert.equal(new Set(answers.map(({ transaction }) => transaction)).size, 1, `one charge for key ${key}`)
  }
  const { rows: books } = await client.query<{ posted: string; expected: string }>(
    `select (select coalesce(sum(case 'acquirer' when debit then amount_minor when credit then -amount_minor
         else 0 end), 0) from posting)::text as posted,
       (select coalesce(sum(case kind when 'sale' then approved_minor else -approved_minor end), 0)
         from attempt where state = 'approved')::text as expected`,
  )
  assert.equal(books[0]?.posted, books[0]?.expected, 'the ledger has every approval once')
}
