// A payer whom the bank wants to see before it lets a shop charge the card.
export type Challenge = {
  readonly id: string
  readonly merchantName: string
  // For people: 25.00 EUR
  readonly amount: string
  readonly lastFour: string
  // Where the payer goes afterwards; empty: nowhere.
  readonly returnTo: string
  // What the bank has sent to the payer's phone. The sandbox shows it.
  readonly code: string
  readonly state: 'open' | 'passed' | 'failed'
  readonly wrongCodes: number
  readonly madeAt: Temporal.Instant
}

export const wrongCodesMax = 3
const minutesMax = 30
const hoursKept = 24

export type ChallengeAnswer = { readonly kind: 'code'; readonly digits: string } | { readonly kind: 'cancel' }

// What an answer makes of a challenge: pure, and the same wherever challenges are kept.
export function answered(challenge: Challenge, answer: ChallengeAnswer): Challenge {
  if (challenge.state !== 'open') return challenge
  if (answer.kind === 'cancel') return { ...challenge, state: 'failed' }
  if (answer.digits === challenge.code) return { ...challenge, state: 'passed' }
  const wrongCodes = challenge.wrongCodes + 1
  return { ...challenge, wrongCodes, state: wrongCodes < wrongCodesMax ? 'open' : 'failed' }
}

// Nobody is waited for longer than this.
export function seenAt(challenge: Challenge, now: Temporal.Instant): Challenge {
  const isOver = now.epochMilliseconds - challenge.madeAt.epochMilliseconds > minutesMax * 60_000
  return isOver && challenge.state === 'open' ? { ...challenge, state: 'failed' } : challenge
}

// With a new challenge the old ones are forgotten: those from before this moment.
export function forgottenBefore({ madeAt }: Challenge): Temporal.Instant {
  return madeAt.subtract({ hours: hoursKept })
}

// Where challenges are kept: several gateways may serve the pages of one bank.
export type ChallengeBook = {
  open(challenge: Challenge): Promise<void>
  find(id: string): Promise<Challenge | null>
  // Nothing happens in between: of two answers at once the second is judged by what the first has left.
  change(id: string, how: (challenge: Challenge) => Challenge): Promise<Challenge | null>
  close(): Promise<void>
}

export function memoryChallenges(): ChallengeBook {
  const challenges = new Map<string, Challenge>()
  return {
    open: async (challenge) => {
      const before = forgottenBefore(challenge)
      for (const [id, { madeAt }] of challenges)
        if (Temporal.Instant.compare(madeAt, before) < 0) challenges.delete(id)
      challenges.set(challenge.id, challenge)
    },
    find: async (id) => challenges.get(id) ?? null,
    change: async (id, how) => {
      const before = challenges.get(id)
      if (!before) return null
      const after = how(before)
      challenges.set(id, after)
      return after
    },
    close: async () => undefined,
  }
}
