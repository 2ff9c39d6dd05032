import type { Money } from '#kernel/money.ts'

// What the outside answers. Silence has a value of its own: it is never a decline.

// How address and security code compared; the letters are the interface's own. Empty: not checked.
export type CardChecks = { readonly avs: string; readonly cvv: string }

// What a test bank was provoked by: a card, an amount, a zip. One line of ASCII; only connectors of a sandbox
// fill it.
type Provoked = { readonly provokedBy?: string }

// We know what would be said, or may not ask: nobody was asked.
type Unasked = { readonly isOurOwn?: true }

export type Approved = Provoked & {
  readonly kind: 'approved'
  readonly approvalCode: string
  // Less than was asked for in a partial approval.
  readonly amount: Money
  readonly checks: CardChecks
  readonly networkId: string
}

export type Declined = Provoked &
  Unasked & {
    readonly kind: 'declined'
    // ISO 8583 field 39 style: 05, 51, R1.
    readonly code: string
    readonly checks: CardChecks
    // What the network adds about trying again: Mastercard's merchant advice code.
    readonly advice?: string
  }

// Proof that no byte of the request left: safe to try again.
export type NotSent = {
  readonly kind: 'not_sent'
  // This node may not send at the moment, for a reason that ends by itself.
  readonly isBusy?: true
} & Unasked

// It may or may not have happened.
export type Unknown = {
  readonly kind: 'unknown'
  readonly because: 'timeout' | 'link_down' | 'garbled'
} & Unasked

export type AcquirerAnswer = Approved | Declined | NotSent | Unknown

// What became of a reference of ours. `reversed` is an approval that was taken back.
export type InquiryAnswer =
  | Approved
  | Declined
  | Unknown
  | { readonly kind: 'not_found' }
  | { readonly kind: 'reversed' }

// What stands, stands: settled, say, or refunded. ISO 8583 field 39 style: 12.
export type ReversalRefused = { readonly kind: 'refused'; readonly code: string }

// `reversed` also when there was nothing to take back: the reference is closed then, and an original that
// arrives late is refused.
export type ReversalAnswer = { readonly kind: 'reversed' } | ReversalRefused | Unknown
