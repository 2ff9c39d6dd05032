import { LeaseHorizon } from '#engine/payments/lease-horizon.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import { recoverAttempts, type Recovering } from '#engine/payments/recover-attempts.operation.ts'
import type { Outage } from '#platform/postgres/outage.ts'
import { type Ringing, soundAlarms } from '#engine/payments/watch-backlog.operation.ts'

export type Recovery = { stop(): Promise<void> }

type Needs = PaymentNeeds & { readonly outage: Outage }

// Looks again and again for attempts to recover, and for an acquirer that was away. Every node does: an
// attempt is taken by its fence, so they never work on the same one, and a node that dies needs no successor
// to be chosen.
export function runRecovery(needs: Needs, sending: SendingGate): Recovery {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let turn: Promise<void> = Promise.resolve()
  let ringing: Ringing = []
  const horizon = new LeaseHorizon()
  const look = async () => {
    if (sending.hold) return
    // Beside the rest, because a host that hangs lets it wait.
    if (!needs.line.isUp) void needs.line.check()
    ringing = await lookOnce(needs, { horizon, stopping: stopping.signal, ringing })
  }
  const again = () => {
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      turn = look().finally(again)
    }, needs.patience.recoveryMs)
  }
  again()
  return {
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await turn
    },
  }
}

type Watch = Recovering & { readonly ringing: Ringing }

async function lookOnce(needs: Needs, { ringing, ...recovering }: Watch): Promise<Ringing> {
  const rung = await needs.outage.survive(async () => {
    await recoverAttempts(needs, recovering)
    return soundAlarms(needs, ringing)
  })
  return rung ?? ringing
}
