import { nullable, text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Held until the transaction ends, so that nodes which start at once seed one after the other.
const lockSeedingStatement = statement(
  'lock_sandbox_seeding',
  [],
  { locked: nullable(text) },
  `select pg_advisory_xact_lock(7411855)::text as locked`,
)

export async function lockSeeding(tx: Tx): Promise<void> {
  await tx.run(lockSeedingStatement, [])
}
