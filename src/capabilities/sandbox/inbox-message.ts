// What the sandbox's own receiver was sent, and what it thinks of the signature.
export type InboxMessage = {
  readonly inboxMessageId: bigint
  // The last part of the address, by which senders are told apart.
  readonly name: string
  readonly method: string
  // With its query.
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly verdict: InboxVerdict
  readonly explanation: string
  readonly answered: number
  readonly receivedAt: Temporal.Instant
}

export type InboxVerdict = 'right' | 'wrong' | 'unsigned'

export const inboxPath = '/sandbox/inbox'
export const inboxShownMax = 50
