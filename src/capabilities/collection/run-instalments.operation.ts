import {
  type Charger,
  chargeInstalment,
  type InstalmentCharge,
} from '#capabilities/collection/charge-instalment.operation.ts'
import { countOpenPayments } from '#capabilities/collection/open-payment.store.ts'
import { holdRun } from '#capabilities/collection/keyed-run.store.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import {
  addResult,
  cameToNothing,
  noResults,
  processedSoFar,
  type Results,
  untold,
} from '#capabilities/collection/run-results.ts'
import { findConsents } from '#capabilities/consents/find-consent.operation.ts'
import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import { giveClaimsBack } from '#capabilities/recurring/claim-instalments.operation.ts'
import type { Claim } from '#capabilities/recurring/instalment-claim.ts'
import { triedOut } from '#capabilities/recurring/retry-rule.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import type { CardOpening, CardRef } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { Batcher } from '#platform/postgres/batcher.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

export type RunNeeds = Omit<EngineContext, 'connection'>

export const portionSize = 128
// A claim lasts longer than any attempt takes; what a dead node has claimed is free again after it.
const leasesOfClaim = 3
const leasesOfRun = 2

export type Portion = {
  readonly claimed: readonly Instalment[]
  // Somebody else has them right now.
  readonly leftOut: readonly InstalmentId[]
}

// What a run charges: portion after portion, each claimed when its turn has come; null is the end.
export type RunWish = {
  readonly accountId: AccountId
  readonly charger: Charger
  // Asked for by name: each of them is told of in the end, whatever has become of it.
  readonly named: readonly InstalmentId[]
  readonly nextPortion: (claim: Claim) => Promise<Portion | null>
}

export type Run = {
  readonly done: Promise<Processed>
  soFar(): Processed
}

// cut_short: nothing may be sent any more, or something broke.
type Ending = Exclude<Processed['ending'], 'running'>

// Charges instalments one way, `pay`, a few hundred at a time: a portion is prepared while the last answers
// of the one before are still awaited, so memory is bounded and one slow answer holds nobody up.
export function startRun(needs: RunNeeds, wish: RunWish): Run {
  const results = noResults()
  const done = chargeAll(needs, wish, results).then((ending) => {
    results.untouched.push(...untold(wish.named, results))
    return processedSoFar(results, ending)
  })
  return { done, soFar: () => processedSoFar(results, 'running') }
}

// Answers how it ended. Whatever breaks, the caller hears of what was charged until then.
async function chargeAll(needs: RunNeeds, wish: RunWish, results: Results): Promise<Ending> {
  const room = new Room(2 * portionSize)
  try {
    const ending = await chargePortions(needs, wish, { results, room })
    await room.forSome(2 * portionSize)
    return ending
  } catch (error) {
    await room.forSome(2 * portionSize)
    if (cameToNothing(results)) throw error
    needs.log.error({ err: error }, 'A run of instalments was cut short')
    return 'cut_short'
  }
}

async function chargePortions(
  needs: RunNeeds,
  wish: RunWish,
  { results, room }: { readonly results: Results; readonly room: Room },
): Promise<Ending> {
  const places: Places = new Map()
  const openCard = cardOpener(needs)
  for (;;) {
    await room.forSome(portionSize)
    // Whatever were taken now could not be sent.
    if (needs.sending.hold || !needs.line.isUp) return 'cut_short'
    if (!(await mayGoOn(needs, wish.charger))) return 'cut_short'
    const from = needs.clock.now()
    const claim = { from, until: from.add({ milliseconds: leasesOfClaim * needs.patience.leaseMs }) }
    const portion = await wish.nextPortion(claim)
    if (!portion) return 'finished'
    const { claimed, leftOut } = portion
    results.untouched.push(...leftOut)
    await findPlaces(needs, claimed, places)
    const prepared = await prepare(needs, wish, claimed).catch(async (error: unknown) => {
      await giveUp(needs, claimed, claim)
      throw error
    })
    for (const charge of prepared) {
      room.enter(chargeOne(needs, { ...charge, openCard }, { results, places, claim }))
    }
    tellProgress(needs, claimed.length, results)
  }
}

// A run under a key says that it goes on, so that a repeated call need not take it for given up.
async function mayGoOn(needs: RunNeeds, { run = null }: Charger): Promise<boolean> {
  return run === null || holdRun(needs.db, run, heldUntil(needs))
}

// Longer than any attempt takes, and than the time between two portions.
export function heldUntil({ clock, patience }: Pick<RunNeeds, 'clock' | 'patience'>): Temporal.Instant {
  return clock.now().add({ milliseconds: leasesOfRun * patience.leaseMs })
}

function tellProgress({ log }: RunNeeds, portion: number, { approved, declined, unknown }: Results): void {
  const counts = { approved: approved.length, declined: declined.length, unknown: unknown.length }
  log.info({ portion, ...counts }, 'Instalments are being charged')
}

// How many places are taken in the open batch of each merchant record.
type Places = Map<MerchantNumber, number>

// A place is a number to show and no more: one that cannot be found holds up no payment.
async function findPlaces(
  { db, log }: RunNeeds,
  portion: readonly Instalment[],
  places: Places,
): Promise<void> {
  for (const { accountId, merchantNumber } of portion) {
    if (places.has(merchantNumber)) continue
    const open = countOpenPayments(db, accountId, merchantNumber).catch((error: unknown) => {
      const text = 'Open payments could not be counted: a run is charged, and numbers its payments from 1'
      log.warn({ err: error, merchant: merchantNumber }, text)
      return 0
    })
    places.set(merchantNumber, await open)
  }
}

function nextPlace(places: Places, { merchantNumber }: Instalment): number {
  const place = (places.get(merchantNumber) ?? 0) + 1
  places.set(merchantNumber, place)
  return place
}

type Prepared = Omit<InstalmentCharge, 'openCard'>

async function prepare(
  needs: RunNeeds,
  { accountId, charger }: RunWish,
  portion: readonly Instalment[],
): Promise<readonly Prepared[]> {
  const ids = portion.map(({ consentId }) => consentId)
  const [consents, merchants] = await Promise.all([
    findConsents(needs, accountId, ids),
    listMerchants(needs, accountId),
  ])
  return portion.map((instalment) => {
    const consent = consents.get(instalment.consentId)
    const merchant = merchantNumbered(merchants, instalment.merchantNumber)
    assert(consent && merchant, 'an instalment has a consent and a merchant record')
    return { instalment, consent, merchant, charger }
  })
}

type Course = { readonly results: Results; readonly places: Places; readonly claim: Claim }

// Never fails: one instalment that breaks holds up none of the others, and what was sent is resolved later.
async function chargeOne(needs: RunNeeds, charge: InstalmentCharge, course: Course): Promise<void> {
  const { instalment } = charge
  try {
    const paid =
      needs.sending.hold || isTriedOut(needs, charge) ? null : await chargeInstalment(needs, charge)
    if (paid?.kind === 'recorded') {
      const placeOf = (one: Instalment) => nextPlace(course.places, one)
      return addResult(course.results, { attempt: paid.attempt, instalment, placeOf })
    }
  } catch (error) {
    // Nothing was sent: it was not recorded, most likely because somebody else has it.
    const instalmentId = String(instalment.instalmentId)
    needs.log.warn({ err: error, instalmentId }, 'An instalment was not charged')
  }
  course.results.untouched.push(instalment.instalmentId)
  await giveUp(needs, [instalment], course.claim)
}

// Somebody else may have tried it since it was asked for. Nobody can from here on: it is taken only as it was
// found.
function isTriedOut({ accountClock }: RunNeeds, { instalment, merchant }: InstalmentCharge): boolean {
  const today = dateIn(merchant.timeZone, accountClock.now(instalment.accountId))
  return triedOut(instalment, today) !== null
}

// Whoever comes next need not wait until the claim has run out.
async function giveUp(needs: RunNeeds, instalments: readonly Instalment[], claim: Claim): Promise<void> {
  const ids = instalments.map(({ instalmentId }) => instalmentId)
  await giveClaimsBack(needs, ids, claim).catch((error: unknown) =>
    needs.log.warn({ err: error }, 'Claims of instalments could not be given back and run out by themselves'),
  )
}

// Cards that are needed at once are read at once.
function cardOpener({ vault, db }: RunNeeds): (card: CardRef) => Promise<CardOpening | null> {
  const opener = new Batcher<CardRef, CardOpening | null>({
    sizeMax: portionSize,
    isHopeless: isUnreachable,
    run: (cards) => vault.openCards(db, cards),
  })
  return (card) => opener.add(card)
}

// How many may be under way at once.
class Room {
  readonly #sizeMax: number
  #inside = 0
  #waiting: { readonly places: number; readonly go: () => void } | null = null

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  // Waits until so many places are free.
  forSome(places: number): Promise<void> {
    if (this.#inside + places <= this.#sizeMax) return Promise.resolve()
    return new Promise((go) => {
      this.#waiting = { places, go }
    })
  }

  enter(work: Promise<void>): void {
    this.#inside += 1
    void work.finally(() => this.#leave())
  }

  #leave(): void {
    this.#inside -= 1
    const waiting = this.#waiting
    if (!waiting || this.#inside + waiting.places > this.#sizeMax) return
    this.#waiting = null
    waiting.go()
  }
}
