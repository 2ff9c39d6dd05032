import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

type Sight = { readonly newest: bigint; readonly atMs: number }

// Which attempts may have outlived their lease: those that were the newest one lease ago, or when we began to
// look. Whatever came since is in somebody's hands, so a busy gateway is not read through at every look.
export class LeaseHorizon {
  #sights: readonly Sight[] = []

  // Answers the last attempt that may be lost.
  see(newest: bigint, { clock, patience }: Pick<PaymentNeeds, 'clock' | 'patience'>): bigint {
    const atMs = clock.now().epochMilliseconds
    const sights = [...this.#sights, { newest, atMs }]
    const old = sights.findLastIndex((one) => one.atMs <= atMs - patience.leaseMs)
    this.#sights = sights.slice(Math.max(0, old))
    return this.#sights[0]?.newest ?? newest
  }
}
