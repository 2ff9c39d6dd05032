import type { Mode } from '#platform/crypto/key-ring.ts'
import { text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const registerInstallationStatement = statement(
  'register_installation',
  [text, text, timestamptz],
  { key_ring_id: text, mode: text },
  `with mine as (
     insert into installation (key_ring_id, mode, created_at) values ($1, $2, $3)
     on conflict (is_only) do nothing
     returning key_ring_id, mode
   )
   select key_ring_id, mode from mine
   union all
   select key_ring_id, mode from installation
   limit 1`,
)

const findInstallationStatement = statement(
  'find_installation',
  [],
  { key_ring_id: text, mode: text },
  `select key_ring_id, mode from installation`,
)

export type Installation = { readonly keyRingId: string; readonly mode: Mode }

// Registers the first node's key ring and mode, and answers what is registered, whoever was first.
export async function registerOrFindInstallation(
  db: Queryable,
  { keyRingId, mode, at }: Installation & { readonly at: Temporal.Instant },
): Promise<Installation> {
  const [registered] = await db.run(registerInstallationStatement, [keyRingId, mode, at])
  // Nothing comes back when another node registered itself while this statement ran: by now its row can be
  // seen.
  const found = registered ? installationFrom(registered) : await findRegisteredInstallation(db)
  if (!found) throw new Error('Broken promise: an installation is registered once it was tried')
  return found
}

// null before any node has registered itself.
export async function findRegisteredInstallation(db: Queryable): Promise<Installation | null> {
  const [row] = await db.run(findInstallationStatement, [])
  return row ? installationFrom(row) : null
}

function installationFrom(row: { readonly key_ring_id: string; readonly mode: string }): Installation {
  return { keyRingId: row.key_ring_id, mode: row.mode as Mode }
}
