import { createHash } from 'node:crypto'
import {
  hasLeadingZeros,
  isInvalidCard,
  judgeTry,
  type OpenTries,
  puzzleBits,
} from '#capabilities/form-payments/card-testing.ts'
import type { FormExtras } from '#capabilities/form-payments/form-extras.ts'
import type { FormPaymentNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import {
  type CardTry,
  countTries,
  insertTry,
  markNewestTryDeclined,
  markTryDeclined,
  removeOldTries,
  removeTry,
} from '#capabilities/form-payments/form-try.store.ts'
import { closeForm } from '#capabilities/forms/close-form.operation.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { EngineContext } from '#engine/context.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing'> & FormPaymentNeeds

// Work that costs a payer a second once, and somebody with a thousand cards a thousand seconds.
export type Puzzle = { readonly text: string; readonly bits: number }

// Not to be tried now.
export type TryRefused =
  | { readonly kind: 'puzzle'; readonly puzzle: Puzzle }
  | { readonly kind: 'later' | 'blocked' | 'closed' }

type TryPermit = TryRefused | { readonly kind: 'free'; readonly tryId: bigint | null }

// What came of a try.
type TryMade = {
  readonly answer: { readonly kind: string }
  readonly resultCode: string
  // Nobody was asked about the card.
  readonly isAsked?: false
}

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

// Makes a try, if this card may be tried on this form from this address.
export async function guardTry<Made extends TryMade>(
  needs: Needs,
  tried: CardTried,
  make: () => Promise<Made>,
): Promise<Made | TryRefused> {
  if (!needs.hasFormLimits) return make()
  const cardTry = tryOf(needs, tried)
  const { form } = cardTry
  const marks = marksOf(cardTry)
  // Before anything is waited for, so that those that come at once see each other.
  const open = needs.triesUnderWay.enter(form, marks)
  try {
    const permit = await permitTry(needs, tried, { cardTry, open })
    if (permit.kind !== 'free') return permit
    const made = await make()
    if (permit.tryId !== null) await tellTry(needs, permit.tryId, made)
    return made
  } finally {
    needs.triesUnderWay.leave(form, marks)
  }
}

function tryOf(needs: Needs, { form, address, digits, isCard, isZero, extras }: CardTried): CardTry {
  return {
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
}

// What a try has in common with others, by what it counts for if it is declined.
function marksOf({ network, cardDigest, link }: CardTry) {
  const ofLink = {
    declinesOfLinkInHour: `link ${link}`,
    declinesOfLinkFromNetworkInHour: `link ${link} from ${network}`,
  }
  return {
    declinesOfNetworkInHour: `network ${network}`,
    declinesOfCardInDay: `card ${cardDigest.toString('hex')}`,
    ...(link === null ? {} : ofLink),
  }
}

type Watched = { readonly cardTry: CardTry; readonly open: OpenTries }

async function permitTry(
  needs: Needs,
  { form, proof, extras }: CardTried,
  { cardTry, open }: Watched,
): Promise<TryPermit> {
  const verdict = judgeTry(await countTries(needs.db, cardTry), open)
  if (verdict === 'closed')
    // In the order of locks that a payment has, too: a link before its form.
    await needs.db.inTransaction(async (tx) => {
      await extras?.onClosed(tx)
      await closeForm(tx, form)
    })
  if (verdict !== 'free' && verdict !== 'puzzle') return { kind: verdict }
  const puzzle = puzzleOf(needs, form)
  if (verdict === 'puzzle' && !isSolved(puzzle, proof)) return { kind: 'puzzle', puzzle }
  return { kind: 'free', tryId: await insertTry(needs.db, cardTry) }
}

async function tellTry(
  { db }: Pick<Needs, 'db'>,
  tryId: bigint,
  { answer, resultCode, isAsked }: TryMade,
): Promise<void> {
  // Another page was faster, or there was nobody to ask about this card.
  if (isAsked === false || answer.kind === 'stale') await removeTry(db, tryId)
  else if (answer.kind === 'declined') await markTryDeclined(db, tryId, isInvalidCard(resultCode))
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
