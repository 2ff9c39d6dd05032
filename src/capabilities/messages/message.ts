import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'

export type MessageId = Branded<bigint, 'MessageId'>

export type Channel = 'text' | 'email'

// reply: our answer to STOP, START or HELP.
export type Purpose = 'link' | 'receipt' | 'reply'

export type NewMessage = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly channel: Channel
  // As readPhone or readEmail has answered it.
  readonly recipient: string
  readonly purpose: Purpose
  // Empty for texts.
  readonly subject: string
  // What a phone shows, or a mailbox that shows no HTML.
  readonly text: string
  readonly html: string | null
  readonly linkId: bigint | null
  // By the clock of the account.
  readonly at: Temporal.Instant
}

// sent: the sender has taken it; only some say later that it was delivered. unknown: it may have been taken,
// and is not sent again by itself.
export type MessageState = 'waiting' | 'sent' | 'delivered' | 'dead' | 'unknown'

export type StoredMessage = {
  readonly messageId: MessageId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly merchantName: string
  readonly channel: Channel
  readonly purpose: Purpose
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly linkId: bigint | null
  readonly publicId: string
  readonly state: MessageState
  readonly sender: string
  readonly tries: number
  readonly problem: string
  readonly createdAt: Temporal.Instant
}

export type StoredPart = {
  readonly number: number
  readonly ref: string
  readonly state: 'sent' | 'delivered' | 'failed'
  readonly problem: string
}

export type Wanted = {
  // Null for all accounts, which only the sandbox's outbox and operators see.
  readonly accountId: AccountId | null
  readonly state: MessageState | null
  readonly most: number
}
