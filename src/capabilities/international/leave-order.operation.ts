import type { OrderOwner } from '#capabilities/international/payer-order.ts'
import type { EngineContext } from '#engine/context.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { declineOrder } from '#engine/orders/wait-for-payer.operation.ts'

const reason = "DECLINED: the payer left the bank's page"

// The payer does not want to be seen by the bank. Whoever confirms it there all the same is charged nothing.
// false: it was charged or given up meanwhile.
export async function leaveOrder(
  needs: Pick<EngineContext, 'db' | 'accountClock'>,
  { accountId: account }: OrderOwner,
  transactionId: string,
): Promise<boolean> {
  const order = await findOrder(needs, { account, transactionId })
  const at = needs.accountClock.now(account)
  const left = { because: 'timed_out', result: 'DECLINED', reason, at } as const
  return order !== null && declineOrder(needs, order, left)
}
