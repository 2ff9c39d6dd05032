import { type Beginning, beginOrder } from '#capabilities/forms/form-paying.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Tx } from '#platform/postgres/database.ts'

// What else begins with it; false: it is not begun.
type BeginAlso = (tx: Tx) => Promise<boolean>

// Makes an order the newest of its form, before the payer's bank is asked. false: the page is not the newest,
// or the form takes no payment any more.
export function rememberOrder(
  { db }: Pick<EngineContext, 'db'>,
  begun: Beginning,
  also?: BeginAlso,
): Promise<boolean> {
  if (!also) return beginOrder(db, begun)
  return db.inTransaction(async (tx) => (await also(tx)) && beginOrder(tx, begun))
}
