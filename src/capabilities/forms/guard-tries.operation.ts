import { createHash } from 'node:crypto'
import { hasLeadingZeros, isInvalidCard, judgeTry, puzzleBits } from '#capabilities/forms/card-testing.ts'
import type { FormExtras } from '#capabilities/forms/form-extras.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import {
  countTries,
  insertTry,
  markNewestTryDeclined,
  markTryDeclined,
  removeOldTries,
  removeTry,
} from '#capabilities/forms/form-try.store.ts'
import { closeForm } from '#capabilities/forms/form.store.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { EngineContext } from '#engine/context.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing'> & Pick<FormNeeds, 'hasFormLimits'>

// Work that costs a payer a second once, and somebody with a thousand cards a thousand seconds.
export type Puzzle = { readonly text: string; readonly bits: number }

export type TryPermit =
  // What becomes of the try is told afterwards.
  | { readonly kind: 'free'; readonly tell: (answer: string, resultCode: string) => Promise<void> }
  | { readonly kind: 'puzzle'; readonly puzzle: Puzzle }
  | { readonly kind: 'blocked' | 'closed' }

type CardTried = {
  readonly form: Form
  readonly address: string
  // The digits of the card or bank account; nothing but a keyed digest of them is kept, for a day.
  readonly digits: string
  // Whose digits begin with those of its bank.
  readonly isCard: boolean
  // The card is only asked about.
  readonly isZero: boolean
  readonly proof: string
  readonly extras?: Pick<FormExtras, 'sharedLink' | 'onClosed'>
}

const noDigest = Buffer.alloc(0)
const unwatched: TryPermit = { kind: 'free', tell: async () => undefined }

// Whether this card may be tried on this form from this address.
export async function permitTry(
  needs: Needs,
  { form, address, digits, isCard, isZero, proof, extras }: CardTried,
): Promise<TryPermit> {
  if (!needs.hasFormLimits) return unwatched
  const tried = {
    form: form.formId,
    link: extras?.sharedLink ?? null,
    account: form.accountId,
    merchant: form.merchantNumber,
    network: ownNetworkOf(address),
    cardDigest: needs.keyRing.keyedDigest('form-try', digits),
    binDigest: isCard ? needs.keyRing.keyedDigest('form-try', `bin\n${digits.slice(0, 8)}`) : noDigest,
    isZero,
    at: needs.clock.now(),
  }
  const verdict = judgeTry(await countTries(needs.db, tried))
  if (verdict === 'closed')
    // In the order of locks that a payment has, too: a link before its form.
    await needs.db.inTransaction(async (tx) => {
      await extras?.onClosed(tx)
      await closeForm(tx, form.formId)
    })
  if (verdict === 'closed' || verdict === 'blocked') return { kind: verdict }
  const puzzle = puzzleOf(needs, form)
  if (verdict === 'puzzle' && !isSolved(puzzle, proof)) return { kind: 'puzzle', puzzle }
  const tryId = await insertTry(needs.db, tried)
  return {
    kind: 'free',
    tell: async (answer, resultCode) => {
      if (tryId === null) return
      if (answer === 'declined') await markTryDeclined(needs.db, tryId, isInvalidCard(resultCode))
      // Another page was faster, or there was nobody to ask about this card.
      if (answer === 'stale') await removeTry(needs.db, tryId)
    },
  }
}

// The same of a try whose payer was at the bank meanwhile.
export async function tellDecline(
  { db, hasFormLimits }: Pick<Needs, 'db' | 'hasFormLimits'>,
  { formId }: Form,
  resultCode: string,
): Promise<void> {
  if (hasFormLimits) await markNewestTryDeclined(db, formId, isInvalidCard(resultCode))
}

// What is older than a day says nothing any more.
export async function forgetOldTries({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await removeOldTries(db, clock.now().subtract({ hours: 24 }))
}

// A new one for every try, so that nobody solves ahead or twice.
function puzzleOf({ keyRing }: Needs, { formId, tries }: Form): Puzzle {
  const text = keyRing.keyedDigest('form-page', `puzzle\n${formId}\n${tries}`).toString('hex')
  return { text, bits: puzzleBits }
}

function isSolved({ text, bits }: Puzzle, proof: string): boolean {
  if (!/^\d{1,12}$/.test(proof)) return false
  return hasLeadingZeros(createHash('sha256').update(`${text}:${proof}`).digest(), bits)
}
