import { type Beginning, beginOrder } from '#capabilities/forms/form-paying.store.ts'
import type { EngineContext } from '#engine/context.ts'

// Makes an order the newest of its form, before the payer's bank is asked. false: the page is not the newest,
// or the form takes no payment any more.
export function rememberOrder({ db }: Pick<EngineContext, 'db'>, begun: Beginning): Promise<boolean> {
  return beginOrder(db, begun)
}
