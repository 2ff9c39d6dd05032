import type { InboxMessage } from '#capabilities/sandbox/inbox-message.ts'
import type { Signer } from '#capabilities/webhooks/webhook-secrets.operation.ts'

type Checks = {
  // Whether the three headers are there.
  readonly isSigned: boolean
  // What each secret says that could have signed it.
  readonly asSent: readonly Signer[]
  // The same for the body as middleware might have found it.
  readonly rewritten: readonly Signer[]
}

type Verdict = Pick<InboxMessage, 'verdict' | 'explanation'>

// Says why, because "the signature does not match" is where receivers get stuck.
export function judgeSignature({ isSigned, asSent, rewritten }: Checks): Verdict {
  if (!isSigned) return { verdict: 'unsigned', explanation: words.no_headers }
  const signer = asSent.find(({ check }) => check.kind === 'matches')
  if (signer) return { verdict: 'right', explanation: `Signed with ${ownerText(signer)}.` }
  const reasons = new Set(asSent.flatMap(({ check }) => (check.kind === 'wrong' ? [check.because] : [])))
  if (asSent.length === 0) return { verdict: 'wrong', explanation: words.no_secret }
  if (reasons.has('too_old')) return { verdict: 'wrong', explanation: words.too_old }
  if (reasons.has('too_new')) return { verdict: 'wrong', explanation: words.too_new }
  const isRewritten = rewritten.some(({ check }) => check.kind === 'matches')
  return { verdict: 'wrong', explanation: isRewritten ? words.rewritten : words.no_match }
}

const words = {
  no_headers: 'Not signed: webhook-id, webhook-timestamp or webhook-signature is missing.',
  no_secret: 'No webhook is registered for this address, so there is no secret to check with.',
  too_old: 'The webhook-timestamp is more than five minutes old: a repeat of something that was recorded.',
  too_new: 'The webhook-timestamp lies more than five minutes ahead: one of the two clocks is wrong.',
  rewritten:
    'The signature fits the same JSON written differently: something on the way has parsed the body and ' +
    'written it anew. Verify the bytes as they arrive.',
  no_match:
    'None of the secrets of this address fits: it was signed with another secret, or changed on its way.',
} as const

function ownerText({ endpointId }: Signer): string {
  return endpointId === null ? "the account's own secret, for forms" : `the secret of webhook ${endpointId}`
}
