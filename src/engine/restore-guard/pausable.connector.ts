import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'

const paused = { kind: 'not_sent', isOurOwn: true } as const
const busy = { ...paused, isBusy: true } as const
const unheard = Promise.resolve({ kind: 'unknown', because: 'link_down', isOurOwn: true } as const)

// While sending is held, nothing leaves that moves money, whichever way led here. Questions go on: an
// operator compares with the bank before confirming.
export function pausable(acquirer: Acquirer, sending: SendingGate): Acquirer {
  const isHeld = () => sending.hold !== null
  // The database was away and is being checked, or the clock is wrong: the acquirer has no part in it.
  const isBusy = () => sending.hold?.kind === 'busy' || sending.hold?.kind === 'clock'
  const notSent = async () => (isBusy() ? busy : paused)
  return {
    name: acquirer.name,
    describeCard: (card) => acquirer.describeCard(card),
    authorize: (request, signal) => (isHeld() ? notSent() : acquirer.authorize(request, signal)),
    refund: (request, signal) => (isHeld() ? notSent() : acquirer.refund(request, signal)),
    settle: (batch, signal) => (isHeld() ? notSent() : acquirer.settle(batch, signal)),
    inquire: (ref, signal) => acquirer.inquire(ref, signal),
    reverse: (ref, signal) => (isHeld() ? unheard : acquirer.reverse(ref, signal)),
    report: (from, to) => acquirer.report(from, to),
    disputes: (from, to) => acquirer.disputes(from, to),
  }
}
