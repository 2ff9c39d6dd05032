import { nullable, text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { patient, statement } from '#platform/postgres/statement.ts'

// Within the time in which a gateway that is told to stop must be gone.
const seedingMsMax = 20_000

// A node that starts beside another one waits while that seeds, which on a slow machine takes longer than any
// call may.
const allowSeedingStatement = statement(
  'allow_sandbox_seeding',
  [text],
  { lock_timeout: text, statement_timeout: text, idle_timeout: text },
  `select set_config('lock_timeout', $1, true) as lock_timeout,
     set_config('statement_timeout', $1, true) as statement_timeout,
     set_config('idle_in_transaction_session_timeout', $1, true) as idle_timeout`,
)

// Held until the transaction ends, so that nodes which start at once seed one after the other.
const lockSeedingStatement = patient(
  statement(
    'lock_sandbox_seeding',
    [],
    { locked: nullable(text) },
    `select pg_advisory_xact_lock(7411859)::text as locked`,
  ),
  // A little later, so that the server tells what it waited for.
  seedingMsMax + 1_000,
)

export async function lockSeeding(tx: Tx): Promise<void> {
  await tx.run(allowSeedingStatement, [`${seedingMsMax}ms`])
  await tx.run(lockSeedingStatement, [])
}
