import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert, assertNever } from '#kernel/assert.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'

// What an idempotency key has led to.
export type LedTo =
  // Its reference alone, which may be that of a consent that was made without asking the issuer.
  | { readonly kind: 'attempt'; readonly ref: AcquirerRef }
  // From this fence on: a batch that one call could not settle is taken again by another.
  | { readonly kind: 'batch'; readonly batch: bigint; readonly fence: number }
  | { readonly kind: 'run'; readonly run: bigint }
  // By the beginning of the digest of its token, in hexadecimal digits. Which merchant record it was made for
  // is known when the form has long been forgotten; earlier versions did not write it (null).
  | { readonly kind: 'form'; readonly digest: string; readonly merchant: MerchantNumber | null }
  | { readonly kind: 'link'; readonly link: bigint }
  // A link that was sent once more.
  | { readonly kind: 'link-again'; readonly link: bigint }

// As it is stored, in a column that is named for attempts (idempotency.acquirer_ref).
export function printLedTo(one: LedTo): string {
  switch (one.kind) {
    case 'attempt':
      return one.ref
    case 'batch':
      return `${one.kind}:${one.batch}:${one.fence}`
    case 'run':
      return `${one.kind}:${one.run}`
    case 'form':
      return `${one.kind}:${one.digest}${one.merchant === null ? '' : `:${one.merchant}`}`
    case 'link':
    case 'link-again':
      return `${one.kind}:${one.link}`
    default:
      return assertNever(one)
  }
}

export function parseLedTo(text: string): LedTo {
  const [kind = '', id = '', more] = text.split(':')
  switch (kind) {
    case 'batch':
      return { kind, batch: BigInt(id), fence: Number(more) }
    case 'run':
      return { kind, run: BigInt(id) }
    case 'form':
      return { kind, digest: id, merchant: more === undefined ? null : merchantNumber(Number(more)) }
    case 'link':
    case 'link-again':
      return { kind, link: BigInt(id) }
    default:
      assert(isOfAttempt(text), 'only what is no attempt is stored under a word and a colon')
      return { kind: 'attempt', ref: text }
  }
}

function isOfAttempt(text: string): text is AcquirerRef {
  return !text.includes(':')
}
