import { createHash } from 'node:crypto'
import {
  hasLeadingZeros,
  judgeTry,
  type OpenTries,
  puzzleBits,
} from '#capabilities/form-payments/card-testing.ts'
import type { FormExtras } from '#capabilities/form-payments/form-extras.ts'
import type { FormPaymentNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import {
  countTries,
  type FormTry,
  insertTry,
  markNewestTryDeclined,
  markTryDeclined,
  removeOldTries,
  removeTry,
} from '#capabilities/form-payments/form-try.store.ts'
import { closeForm } from '#capabilities/forms/close-form.operation.ts'
import type { Form } from '#capabilities/forms/form.ts'
import { cardCounts, isInvalidCard } from '#engine/card-tries/card-counts.ts'
import type { CardTry } from '#engine/card-tries/card-tries.ts'
import {
  countDecline,
  countTry,
  forgetCardTries,
  readSums,
  type TryKeys,
  tryKeys,
} from '#engine/card-tries/guard-card.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'log' | 'cardTries'> & FormPaymentNeeds

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

type TriedOnForm = Pick<CardTried, 'form' | 'digits' | 'isCard' | 'isZero'>

const noDigest = Buffer.alloc(0)

// Makes a try, if this card may be tried on this form from this address.
export async function guardTry<Made extends TryMade>(
  needs: Needs,
  tried: CardTried,
  make: () => Promise<Made>,
): Promise<Made | TryRefused> {
  if (!needs.hasFormLimits) return make()
  const card = cardOf(tried)
  const keys = tryKeys(needs, card)
  const formTry = tryOf(needs, tried, keys)
  const { form } = formTry
  const marks = marksOfForm(formTry)
  // Before anything is waited for, so that those that come at once see each other.
  const open = needs.triesUnderWay.enter(form, marks)
  try {
    const permit = await permitTry(needs, tried, { formTry, keys, open })
    if (permit.kind !== 'free') return permit
    const made = await make()
    await recordTry(needs, { tryId: permit.tryId, card }, made)
    return made
  } finally {
    needs.triesUnderWay.leave(form, marks)
  }
}

function cardOf({ form, digits, isCard, isZero }: TriedOnForm): CardTry {
  return { account: form.accountId, merchant: form.merchantNumber, digits, isCard, isZero, isOnForm: true }
}

function tryOf({ clock }: Needs, { form, address, extras }: CardTried, { card, bin }: TryKeys): FormTry {
  return {
    form: form.formId,
    link: extras?.sharedLink ?? null,
    network: ownNetworkOf(address),
    cardDigest: card ?? noDigest,
    binDigest: bin ?? noDigest,
    at: clock.now(),
  }
}

// What a try has in common with others, by what it counts for if it is declined.
function marksOfForm({ network, cardDigest, link }: FormTry) {
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

type Watched = { readonly formTry: FormTry; readonly keys: TryKeys; readonly open: OpenTries }

async function permitTry(
  needs: Needs,
  { form, proof, extras }: CardTried,
  { formTry, keys, open }: Watched,
): Promise<TryPermit> {
  const [ofForm, sums] = await Promise.all([countTries(needs.db, formTry), readSums(needs, keys)])
  const verdict = judgeTry({ ...ofForm, ...cardCounts(sums) }, open)
  if (verdict === 'closed')
    // In the order of locks that a payment has, too: a link before its form.
    await needs.db.inTransaction(async (tx) => {
      await extras?.onClosed(tx)
      await closeForm(tx, form)
    })
  if (verdict !== 'free' && verdict !== 'puzzle') return { kind: verdict }
  const puzzle = puzzleOf(needs, form)
  if (verdict === 'puzzle' && !isSolved(puzzle, proof)) return { kind: 'puzzle', puzzle }
  return { kind: 'free', tryId: await insertTry(needs.db, formTry) }
}

type Permitted = { readonly tryId: bigint | null; readonly card: CardTry }

async function recordTry(
  needs: Needs,
  { tryId, card }: Permitted,
  { answer, resultCode, isAsked }: TryMade,
): Promise<void> {
  const { db } = needs
  // Another page was faster, or there was nobody to ask about this card.
  if (isAsked === false || answer.kind === 'stale') {
    if (tryId !== null) await removeTry(db, tryId)
    return
  }
  const isDeclined = answer.kind === 'declined'
  if (isDeclined && tryId !== null) await markTryDeclined(db, tryId)
  const state = isDeclined ? 'declined' : answer.kind === 'paid' ? 'approved' : 'unknown'
  await countTry(needs, card, { state, resultCode })
}

// The same of a try whose payer was at the bank meanwhile.
export async function tellDecline(needs: Needs, form: Form, resultCode: string): Promise<void> {
  if (!needs.hasFormLimits) return
  const tried = await markNewestTryDeclined(needs.db, form.formId)
  if (!tried) return
  const { cardDigest: card, binDigest: bin } = tried
  const { account } = tryKeys(needs, cardOf({ form, digits: '', isCard: true, isZero: false }))
  const keys = { card, bin: bin.length > 0 ? bin : null, account, zero: null }
  try {
    await countDecline(needs, { keys, marks: null, isInvalid: isInvalidCard(resultCode) })
  } catch (error) {
    needs.log.warn({ err: error }, 'A decline could not be counted for holding back card testing')
  }
}

// What is older than a day says nothing any more.
export async function forgetOldTries(needs: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await removeOldTries(needs.db, needs.clock.now().subtract({ hours: 24 }))
  await forgetCardTries(needs)
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
