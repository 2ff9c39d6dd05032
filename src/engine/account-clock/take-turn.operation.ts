import { endTurn, renewTurn, takeTurn, type TurnKey } from '#engine/account-clock/account-clock.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { AccountId } from '#kernel/ids.ts'

const leaseMs = 30_000

export type TurnNeeds = Pick<PaymentNeeds, 'db' | 'clock' | 'log'>

export type Turn = TurnKey & {
  // Where the clock was to go when its last mover died or ran out of time.
  readonly movingTo: Temporal.Instant | null
  // Aborted when the turn is lost or the node stops.
  readonly signal: AbortSignal
}

// The turn was lost meanwhile: somebody else runs the due work of the account.
export class TurnLost extends Error {
  override readonly name = 'TurnLost'
}

// Only one process at a time runs the due work of an account. Answers null when it is somebody else's turn,
// or has become so.
// A turn ends with its work, or half a minute of real time after its holder fell silent.
export async function inTurn<T>(
  needs: TurnNeeds,
  { accountId, signal }: { readonly accountId: AccountId; readonly signal: AbortSignal | null },
  work: (turn: Turn) => Promise<T>,
): Promise<{ readonly done: T } | null> {
  const now = needs.clock.now()
  const leaseUntil = now.add({ milliseconds: leaseMs })
  const taken = await takeTurn(needs.db, { account: accountId, now, leaseUntil })
  if (!taken) return null
  const lost = new AbortController()
  const beat = setInterval(() => void keep(needs, taken, lost), leaseMs / 3).unref()
  try {
    const turn = { ...taken, signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal }
    return { done: await work(turn) }
  } catch (error) {
    if (error instanceof TurnLost) return null
    throw error
  } finally {
    clearInterval(beat)
    await endTurn(needs.db, taken)
  }
}

async function keep(needs: TurnNeeds, turn: TurnKey, lost: AbortController): Promise<void> {
  try {
    const leaseUntil = needs.clock.now().add({ milliseconds: leaseMs })
    if (!(await renewTurn(needs.db, turn, leaseUntil)))
      lost.abort(new TurnLost('Another node has taken over'))
  } catch (error) {
    needs.log.warn({ err: error, account: String(turn.accountId) }, 'A turn could not be kept')
    lost.abort(new TurnLost('The turn could not be kept'))
  }
}
