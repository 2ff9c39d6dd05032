import type { Reply } from './bank-request.ts'
import type { Garble } from './delivery.ts'

// Answers that must not be believed. A text is written to a line as it stands.
const ways: Readonly<Record<Garble, (reply: Reply) => unknown>> = {
  cut: ({ ref }) => `{"ref":"${ref}","outco`,
  noise: () => '\u0000\u0001 not what you asked for',
  other_ref: (reply) => ({ ...reply, ref: `${reply.ref}-other` }),
  other_currency: (reply) => ({ ...reply, currency: 'XXX' }),
  too_much: (reply) => ({ ...reply, approvedMinor: reply.approvedMinor + 1n }),
}

export function garbled(reply: Reply, how: Garble): unknown {
  return ways[how](reply)
}
