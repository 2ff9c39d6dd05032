import type { MessageId } from '#capabilities/messages/message.ts'

// Whoever carries messages to their recipients: one for texts, one for e-mails.

export type SenderName = 'outbox' | 'smtp' | 'smpp' | 'api' | 'none'

export type OutgoingMessage = {
  readonly messageId: MessageId
  // The same in every try.
  readonly publicId: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  // The name of the merchant record.
  readonly fromName: string
  // Numbers of the parts of a long text that were taken by an earlier try.
  readonly partsTaken: readonly number[]
}

// What the sender calls a part, by which its receipts speak of it. An e-mail is one part.
export type SentPart = { readonly number: number; readonly ref: string }

// Called for every part that was taken before others go; the outcome tells of them all.
export type KeepPart = (part: SentPart) => Promise<void>

// sent: taken; arrived, too, where the sender can tell at once. later: not now, for a reason of this message.
// busy: not taken, for a reason of the sender, be it for now or until somebody mends its settings. refused:
// never, for a reason of this message. unknown: it may have been taken.
export type SendOutcome = { readonly parts: readonly SentPart[] } & (
  | { readonly kind: 'sent'; readonly hasArrived: boolean }
  | { readonly kind: 'later' | 'busy' | 'unknown'; readonly because: string }
  // The recipient wants no more texts, as the sender knows.
  | { readonly kind: 'refused'; readonly because: string; readonly isStopped?: boolean }
)

export type Opened = { readonly isOpen: true } | { readonly isOpen: false; readonly because: string }

export type Sender = {
  readonly name: SenderName
  // Connects where that is needed, and makes sure of the other side after it has failed, so that no message
  // is in hand while nobody answers.
  open(): Promise<Opened>
  send(message: OutgoingMessage, keep: KeepPart): Promise<SendOutcome>
  // Where the other side speaks up by itself: what it says is heard from now on.
  listen?(hearing: Hearing): void
  close(): Promise<void>
}

// What a sender hears from the other side.
export type DeliveryReceipt = {
  readonly sender: SenderName
  readonly ref: string
  readonly state: 'delivered' | 'failed'
  readonly problem: string
}

export type ReceivedText = {
  readonly sender: SenderName
  // Empty where the other side gives none.
  readonly ref: string
  readonly phone: string
  // Of a number without a + (two letters); the United States where none is told.
  readonly country?: string
  readonly text: string
  // The other side has answered STOP, START or HELP already.
  readonly isAnswered: boolean
}

export type Hearing = {
  readonly onReceipt: (receipt: DeliveryReceipt) => Promise<void>
  readonly onText: (received: ReceivedText) => Promise<void>
}
