import { hash, randomInt, randomUUID } from 'node:crypto'
import type { CardNumber } from '#kernel/card-number.ts'
import { type Money, printWithCurrency } from '#kernel/money.ts'
import { type BankClock, realBankClock } from './bank-clock.ts'
import { cardRowOf } from './card-rows.ts'
import { answered, type Challenge, type ChallengeAnswer, type ChallengeBook, seenAt } from './challenge.ts'

// Directory and access-control server of 3-D Secure in one: the bank that knows the payer. It is asked before
// a card is charged and says who pays, or wants to see the payer on a page of its own.

export type PayerQuestion = {
  // The asking side's own, so that a proof repeats.
  readonly ref: string
  readonly number: CardNumber
  readonly amount: Money
  readonly merchantName: string
  readonly returnTo: string
}

// What a network carries to the issuer: how sure the bank is (ECI), and its seal on it.
export type PayerProof = {
  readonly eci: string
  readonly seal: string
  readonly transactionId: string
  readonly version: string
}

export type PayerAnswer =
  | { readonly kind: 'confirmed'; readonly proof: PayerProof }
  | { readonly kind: 'challenge'; readonly challengeId: string }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unavailable' }

export type ChallengeOutcome = Exclude<PayerAnswer, { kind: 'challenge' }> | { readonly kind: 'open' }

type Options = { readonly challenges: ChallengeBook; readonly clock?: BankClock }

// By the networks: 05 the bank knows the payer, 06 it takes no part, which shifts nothing to the shop.
const known = '05'
const attempted = '06'

export class PayerBank {
  readonly #challenges: ChallengeBook
  readonly #clock: BankClock

  constructor({ challenges, clock = realBankClock }: Options) {
    this.#challenges = challenges
    this.#clock = clock
  }

  async ask(question: PayerQuestion): Promise<PayerAnswer> {
    switch (cardRowOf(question.number.reveal()).secure) {
      case 'challenges':
        return { kind: 'challenge', challengeId: await this.#open(question) }
      case 'recognizes':
        return { kind: 'confirmed', proof: proofOf(question.ref, known) }
      case 'rejects':
        return { kind: 'rejected' }
      case 'is_down':
        return { kind: 'unavailable' }
      default:
        return { kind: 'confirmed', proof: proofOf(question.ref, attempted) }
    }
  }

  async outcomeOf(challengeId: string): Promise<ChallengeOutcome> {
    const challenge = await this.find(challengeId)
    if (!challenge) return { kind: 'unavailable' }
    switch (challenge.state) {
      case 'open':
        return { kind: 'open' }
      case 'passed':
        return { kind: 'confirmed', proof: proofOf(challengeId, known) }
      case 'failed':
        return { kind: 'rejected' }
    }
  }

  async find(challengeId: string): Promise<Challenge | null> {
    const challenge = await this.#challenges.find(challengeId)
    return challenge && seenAt(challenge, this.#clock.now())
  }

  answer(challengeId: string, answer: ChallengeAnswer): Promise<Challenge | null> {
    const now = this.#clock.now()
    return this.#challenges.change(challengeId, (challenge) => answered(seenAt(challenge, now), answer))
  }

  async #open({ number, amount, merchantName, returnTo }: PayerQuestion): Promise<string> {
    const id = randomUUID()
    await this.#challenges.open({
      id,
      merchantName,
      // Nothing where a card is only kept.
      amount: amount.minor === 0n ? '' : printWithCurrency(amount),
      lastFour: number.lastFour,
      returnTo,
      code: String(randomInt(1_000_000)).padStart(6, '0'),
      state: 'open',
      wrongCodes: 0,
      madeAt: this.#clock.now(),
    })
    return id
  }
}

function proofOf(ref: string, eci: string): PayerProof {
  const seal = hash('sha1', `${ref} ${eci}`, 'buffer').toString('base64')
  const digest = hash('sha256', ref)
  const groups = [8, 12, 16, 20, 32].map((end, at, ends) => digest.slice(ends[at - 1] ?? 0, end))
  return { eci, seal, transactionId: groups.join('-'), version: '2.2.0' }
}
