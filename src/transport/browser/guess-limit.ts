import type { Context } from '#capabilities/context.ts'
import { RateLimiter } from '#platform/rate-limiter.ts'

const guessesMax = 20
const windowSeconds = 600

// Slows down whoever opens links that do not exist: twenty in ten minutes from one network, and then none at
// all until some of that time has passed, not even right ones, because a right one would tell.
export class GuessLimit {
  readonly #clock: Context['clock']
  readonly #limiter: RateLimiter | null

  constructor({ clock, hasFormLimits }: Pick<Context, 'clock' | 'hasFormLimits'>) {
    this.#clock = clock
    this.#limiter = hasFormLimits ? new RateLimiter(guessesMax / windowSeconds, guessesMax) : null
  }

  // 0 when the network may go on.
  waitMs(address: string): number {
    return this.#limiter?.look(networkOf(address), this.#clock.now().epochMilliseconds) ?? 0
  }

  note(address: string): void {
    this.#limiter?.take(networkOf(address), this.#clock.now().epochMilliseconds)
  }
}

// Whoever has an IPv6 address has a whole /64 of them.
function networkOf(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address
}
