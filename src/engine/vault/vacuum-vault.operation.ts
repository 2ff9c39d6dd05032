import { countDeadRows, vacuumTables } from '#engine/vault/vacuum.store.ts'
import type { Connection } from '#platform/postgres/connection.ts'
import type { Database } from '#platform/postgres/database.ts'

export type VacuumNeeds = { readonly db: Database; readonly connection: Connection }

// A key that was erased stays in its page until that is vacuumed. Rows that an open transaction can still see
// stay longer, so this is repeated until nothing is left.
export async function vacuumVault({ connection }: Pick<VacuumNeeds, 'connection'>): Promise<void> {
  await vacuumTables(connection)
}

export async function hasVaultRemains({ db }: Pick<VacuumNeeds, 'db'>): Promise<boolean> {
  return (await countDeadRows(db)) > 0n
}
