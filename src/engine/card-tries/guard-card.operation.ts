import {
  type CountedKind,
  countedKinds,
  isInvalidCard,
  noTries,
  spans,
  type TrySum,
  type TrySums,
} from '#engine/card-tries/card-counts.ts'
import { type CardMemory, type CardTry, marksOf, type TryMarks } from '#engine/card-tries/card-tries.ts'
import {
  addTries,
  type CountedSince,
  type CountedTries,
  removeTries,
  sumTries,
} from '#engine/card-tries/try-count.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { declineClass } from '#engine/payments/decline-codes.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import type { AccountId } from '#kernel/ids.ts'
import { refuse, type Result } from '#kernel/result.ts'

// holdsBack: whether calls are held back. Forms have a setting of their own.
export type CardTries = { readonly memory: CardMemory; readonly holdsBack: boolean }

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'log' | 'cardTries'>

type Owner = { readonly accountId: AccountId }

// A card whose number the caller has just sent.
export function triedCard(
  { accountId: account }: Owner,
  { merchantNumber: merchant }: Pick<Merchant, 'merchantNumber'>,
  { number, isZero }: { readonly number: CardNumber; readonly isZero: boolean },
): CardTry {
  return { account, merchant, digits: number.reveal(), isCard: true, isZero }
}

// By which a card and what it has in common with others are counted in the database.
export type TryKeys = Readonly<Record<CountedKind, Buffer | null>>

// Charges or verifies a card for a call, unless it looks like card testing: then nothing is recorded, and
// the call's idempotency key can be used again. Runs of plans do not come by here.
export async function guardCard<Made extends Result<unknown, string, unknown>>(
  needs: Needs,
  tried: CardTry,
  make: () => Promise<Made>,
  attemptOf: (made: Extract<Made, { ok: true }>['value']) => Attempt | null,
): Promise<Made | ReturnType<typeof held>> {
  const { memory, holdsBack } = needs.cardTries
  if (!holdsBack) return make()
  const marks = marksOf(tried)
  const seconds = memory.enter(marks, () => cardName(needs, tried), nowMs(needs))
  if (seconds !== null) return held(seconds)
  try {
    const made = await make()
    const attempt = made.ok ? attemptOf(made.value) : null
    if (attempt) await countTry(needs, tried, attempt)
    return made
  } finally {
    memory.leave(marks)
  }
}

function held(seconds: number) {
  return refuse('card_testing', { seconds })
}

export type TryEnd = Pick<Attempt, 'state' | 'resultCode'>

// Counts what came of a try. An approval is counted in memory alone. What was charged stands, so a count
// that cannot be written is left out.
export async function countTry(needs: Needs, tried: CardTry, { state, resultCode }: TryEnd): Promise<void> {
  const [marks, at] = [marksOf(tried), needs.clock.now()]
  const isDeclined = state === 'declined' && declineClass(resultCode) !== 'unreachable'
  if (state === 'approved' || state === 'partial') needs.cardTries.memory.approve(marks, at.epochMilliseconds)
  if (!isDeclined && !tried.isZero) return
  const keys = tryKeys(needs, tried)
  try {
    if (isDeclined) await countDecline(needs, { keys, marks, isInvalid: isInvalidCard(resultCode) })
    else await countZero(needs, keys, marks)
  } catch (error) {
    needs.log.warn({ err: error }, 'A decline could not be counted for holding back card testing')
  }
}

type Declined = {
  readonly keys: TryKeys
  // null where the card is not at hand any more.
  readonly marks: TryMarks | null
  readonly isInvalid: boolean
}

export async function countDecline(needs: Needs, { keys, marks, isInvalid }: Declined): Promise<void> {
  const { memory } = needs.cardTries
  const added = { tries: 1, declines: 1, invalid: isInvalid ? 1 : 0 }
  const approved = (kind: CountedKind) => (marks ? memory.takeApproved(kind, marks, nowMs(needs)) : 0)
  await addTries(
    needs.db,
    rowsOf(needs, keys, (kind) => ({ ...added, tries: 1 + approved(kind) })),
  )
  if (marks) await learn(needs, keys, marks)
}

async function countZero(needs: Needs, { zero }: TryKeys, marks: TryMarks): Promise<void> {
  const keys = { card: null, bin: null, account: null, zero }
  await addTries(
    needs.db,
    rowsOf(needs, keys, () => ({ ...noTries, tries: 1 })),
  )
  await learn(needs, keys, marks)
}

async function learn(needs: Needs, keys: TryKeys, marks: TryMarks): Promise<void> {
  const sums = await readSums(needs, keys)
  const name = keys.card?.toString('hex') ?? null
  const holder = needs.cardTries.memory.learn(marks, name, sums, nowMs(needs))
  if (!holder) return
  const { account } = marks
  needs.log.warn(
    { account, by: holder, ...sums[holder] },
    'Cards are held back: this looks like card testing',
  )
}

function rowsOf(
  { clock }: Pick<Needs, 'clock'>,
  keys: TryKeys,
  sumOf: (kind: CountedKind) => TrySum,
): readonly CountedTries[] {
  const seconds = Math.floor(clock.now().epochMilliseconds / 1_000)
  return countedKinds.flatMap((kind) => {
    const key = keys[kind]
    if (key === null) return []
    const begunMs = (seconds - (seconds % spans[kind].portion)) * 1_000
    return [{ key, at: Temporal.Instant.fromEpochMilliseconds(begunMs), ...sumOf(kind) }]
  })
}

// Of all processes. What this one has approved since its last decline is not in it.
export async function readSums({ db, clock }: Pick<Needs, 'db' | 'clock'>, keys: TryKeys): Promise<TrySums> {
  const now = clock.now()
  const counted = countedKinds.flatMap((kind): readonly (CountedSince & { kind: CountedKind })[] => {
    const [key, { portion, window }] = [keys[kind], spans[kind]]
    return key === null ? [] : [{ kind, key, since: now.subtract({ seconds: window + portion }) }]
  })
  const sums = await sumTries(db, counted)
  const byKind = new Map(counted.map(({ kind }, at) => [kind, sums[at]]))
  const sumOf = (kind: CountedKind) => byKind.get(kind) ?? noTries
  return { card: sumOf('card'), bin: sumOf('bin'), account: sumOf('account'), zero: sumOf('zero') }
}

// Keyed, because card numbers are few enough to be tried one by one.
export function tryKeys({ keyRing }: Pick<Needs, 'keyRing'>, tried: CardTry): TryKeys {
  const { bin, account, zero } = marksOf(tried)
  const digest = (kind: CountedKind, text: string) => keyRing.keyedDigest('form-try', `${kind}\n${text}`)
  return {
    card: keyRing.keyedDigest('form-try', tried.digits),
    bin: bin === null ? null : digest('bin', bin),
    account: account === null ? null : digest('account', account),
    zero: zero === null ? null : digest('zero', zero),
  }
}

function cardName(needs: Needs, tried: CardTry): string {
  return tryKeys(needs, tried).card?.toString('hex') ?? ''
}

function nowMs({ clock }: Pick<Needs, 'clock'>): number {
  return clock.now().epochMilliseconds
}

// What is older than a day counts no more.
export async function forgetCardTries({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await removeTries(db, clock.now().subtract({ hours: 25 }))
}
