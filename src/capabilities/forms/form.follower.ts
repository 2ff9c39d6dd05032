import { newConsentOf } from '#capabilities/consents/new-consent.follower.ts'
import { beginPaying, type Settled, settleForms } from '#capabilities/forms/form-paying.store.ts'
import type { PayerSaid } from '#capabilities/forms/form.ts'
import { hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { refuse } from '#kernel/result.ts'

export type FormDetail = {
  // The number of tries that the page was made with.
  readonly tries: number
  // As a try already, when its order began.
  readonly isCounted: boolean
  // Of the browser's cookie.
  readonly browser: Buffer
  readonly said: PayerSaid
}

// The form that is being paid. Of all pages, tabs and repeated sendings one takes it; the others are turned
// down before anything is sent. It is open again once it is certain that nothing was charged.
export const formFollower: Follower<FormDetail> = {
  name: 'form',
  begin: async (tx, starts) => {
    const taken = await beginPaying(
      tx,
      starts.map(({ attempt: { accountId, ref, createdAt }, subject, detail }) => ({
        form: subject,
        account: accountId,
        ...detail,
        ref,
        at: createdAt,
      })),
    )
    const missed = starts.filter(({ subject }) => !taken.has(subject))
    return new Map(missed.map(({ attempt }) => [attempt.ref, refuse('form_not_open').refusal]))
  },
  follow: async (tx, moved) => {
    const settled = moved.flatMap(settledBy)
    const at = moved[0]?.move.at
    if (settled.length > 0 && at) await settleForms(tx, settled, at)
  },
}

function settledBy({ move: { attempt, to }, subject }: Moved): readonly Settled[] {
  const key = { form: subject, account: attempt.accountId, ref: attempt.ref }
  if (to === 'approved') return [{ ...key, state: 'paid', consent: newConsentOf(attempt) }]
  // Once its reversal is confirmed, and not before: until then the payer's card is burdened, and another try
  // would burden it twice.
  return hasNoEffect(to) ? [{ ...key, state: 'open', consent: null }] : []
}
