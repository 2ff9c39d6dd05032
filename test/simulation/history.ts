import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import { giveToBank, listOpenBankDays } from '#engine/orders/close-bank-day.operation.ts'
import { type Attempt, type Following, isFinal, type NewAttempt } from '#engine/payments/attempt.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'
import type { Chaos } from '../../simulator/fault-script.ts'
import {
  amounts,
  askToCharge,
  askToRefund,
  askToVoid,
  callerKey,
  newAttempt,
  newCredit,
  newVoid,
} from '../crash/attempt-builder.ts'
import { findViolations, type Told } from '../crash/checker.ts'
import { engineOn, type Lane, openStage, recoverUntilQuiet, type Stage } from '../crash/lane.ts'
import { toldOf, toldOfPaid } from '../crash/run-case.ts'
import { madeWithOrder, openWaitingOrder } from '../crash/order-rows.ts'
import { Dice } from './dice.ts'
import { GatedEngine } from './gated-engine.ts'
import { Interleaver } from './interleaver.ts'

// One history: some actors on one account with a narrow limit, two engines that may die, and a bank whose
// line is bad. All of it follows from the seed.

const draws: Chaos['draws'] = [
  { perMille: 50, delivery: { losesRequest: true, hangsUp: true } },
  { perMille: 70, delivery: { losesAnswer: true, hangsUp: true } },
  { perMille: 30, delivery: { losesAnswer: true } },
  { perMille: 30, delivery: { answersAfterMs: 40_000 } },
  { perMille: 40, delivery: { arrivesAfterMs: 30_000 } },
  { perMille: 40, delivery: { answersTwice: true } },
  { perMille: 30, delivery: { garbles: 'other_ref' } },
  { perMille: 20, delivery: { garbles: 'too_much' } },
  { perMille: 30, delivery: { losesAnswer: true, hangsUp: true, inquiryLagMs: 60_000 } },
]

type Play = {
  readonly seed: number
  readonly stage: Stage
  readonly dice: Dice
  readonly turns: Interleaver
  readonly engines: GatedEngine[]
  readonly told: Told[]
  readonly asked: { key: string | null; ref: string }[]
  readonly approved: Attempt[]
  // Orders that payers have begun and confirmed.
  readonly begun: Following[]
  refs: number
}

export type Outcome = {
  readonly violations: readonly string[]
  // What the bank saw and what callers heard, in order: equal whenever the seed is.
  readonly trace: readonly string[]
}

export async function playHistory(lane: Lane, seed: number): Promise<Outcome> {
  const stage = await openStage(lane, `seed ${seed}`, 3_500n)
  const dice = new Dice(seed)
  const turns = new Interleaver(dice, stage.time)
  const empty = { engines: [], told: [], asked: [], approved: [], begun: [], refs: 0 }
  const play: Play = { seed, stage, dice, turns, ...empty }
  stage.bank.faults.setChaos({ seed: String(seed), draws })
  await turns.run(actorsOf(play))
  stage.bank.faults.clear()
  const { told, asked } = play
  const heard = told.map(({ key, outcome, amount }) => `${key} ${outcome} ${amount}`)
  const seen = (await stage.bank.log.read({ last: 10_000 })).toReversed()
  const trace = [...seen.map(({ verb, ref, reply }) => `${verb} ${ref} ${reply.outcome}`), ...heard]
  await recoverUntilQuiet(stage, [engineOn(stage), engineOn(stage)])
  const bank = (await stage.bank.log.read({ last: 10_000 })).toReversed()
  // An engine may sleep exactly before it writes to the line. Only the bank closes that gap.
  const past = { accounts: [stage.account], bank, told, asked, sendWithinMs: Infinity }
  return { violations: await findViolations(stage.client, past), trace }
}

// Five to nine of them.
function actorsOf(play: Play): readonly Promise<void>[] {
  const { dice } = play
  const count = 3 + dice.below(5)
  // Some share a key: impatient callers that send the same thing twice.
  const callers = Array.from({ length: count }, (_, at) => {
    const actor = dice.oneOf([buyer, keyedBuyer, sharer, payer, voider, crediter]) ?? buyer
    return actor(play, at)
  })
  return [...callers, recoverer(play), banker(play)]
}

const buyer = (play: Play): Promise<void> => buy(play, null)
const keyedBuyer = (play: Play, at: number): Promise<void> => buy(play, `key-${play.seed}-${at}`)
const sharer = (play: Play): Promise<void> => buy(play, `key-${play.seed}`)

// Calls, and with a key calls again until it knows.
async function buy(play: Play, key: string | null): Promise<void> {
  const wish = key === null ? play.dice.below(3) : key.length % 3
  const conditions = { acceptsPartial: wish !== 1, avsNeeded: 'none', cvvNeeded: false } as const
  const number = wish === 2 ? '4000000000009268' : '4111111111111111'
  for (let turn = 0; turn < 4; turn += 1) {
    const isOver = await attemptOnce(play, key, async (engine) => {
      const { account, limit, time } = play.stage
      const at = time.now()
      const asks = { account, key, conditions, at, amounts: amounts(1_000n, 30n), ref: nextRef(play) }
      const limited = { follower: 'limit', subject: limit, detail: null }
      const order = await madeWithOrder(engine.needs.db, { account, amount: asks.amounts.total, at })
      const asked = { ...asks, following: [limited, order] }
      return send(play, engine, newAttempt(asked), askToCharge(engine.needs, number))
    })
    if (isOver || key === null) return
  }
}

// Begins an order, or comes back to one that somebody has begun; some come back more than once.
async function payer(play: Play): Promise<void> {
  const { account, limit, time } = play.stage
  for (let turn = 0; turn < 3; turn += 1) {
    const isOver = await attemptOnce(play, null, async (engine) => {
      const asked = amounts(1_000n, 30n)
      const bought = { account, amount: asked.total, at: time.now() }
      const known = play.dice.happens(600) ? play.dice.oneOf(play.begun) : undefined
      const order = known ?? (await openWaitingOrder(engine.needs.db, bought))
      play.begun.push(order)
      const limited = { follower: 'limit', subject: limit, detail: null }
      const wish = { account, ref: nextRef(play), at: time.now(), amounts: asked }
      const attempt = newAttempt({ ...wish, following: [limited, order] })
      play.asked.push({ key: `order-${order.subject}`, ref: attempt.ref })
      return pay(engine.needs, { ...attempt, policy: 'resolve' }, askToCharge(engine.needs))
    })
    if (isOver && play.dice.happens(500)) return
  }
}

// The bank's cut-off, now and then in the middle of everything.
async function banker(play: Play): Promise<void> {
  const { account } = play.stage
  const rounds = play.dice.below(16)
  for (let round = 0; round < rounds; round += 1) {
    await surviving(play, async ({ needs }) => {
      for (const day of await listOpenBankDays(needs, account))
        await giveToBank(needs, day, { cutOff: needs.accountClock.now(account), most: 5_000 })
    })
  }
}

async function voider(play: Play, at: number): Promise<void> {
  const key = play.dice.happens(500) ? `void-${play.seed}-${at}` : null
  for (let turn = 0; turn < 4; turn += 1) {
    const isOver = await attemptOnce(play, key, async (engine) => {
      const sale = play.dice.oneOf(play.approved)
      if (!sale) return null
      const limit = { follower: 'limit', subject: play.stage.limit, detail: null }
      const parent = { follower: 'parent', subject: sale.attemptId, detail: null }
      const wish = { ref: nextRef(play), at: play.stage.time.now(), key, following: [limit, parent] }
      return send(play, engine, newVoid(sale, wish), askToVoid(engine.needs))
    })
    if (isOver) return
  }
}

// Gives back a part or all that it sees left; meanwhile others may void the sale or credit it too.
async function crediter(play: Play, at: number): Promise<void> {
  const key = play.dice.happens(500) ? `credit-${play.seed}-${at}` : null
  for (let turn = 0; turn < 4; turn += 1) {
    const isOver = await attemptOnce(play, key, async (engine) => {
      const sale = play.dice.oneOf(play.approved)
      const isWhole = play.dice.happens(400)
      const { account } = play.stage
      const seen = sale && (await engine.needs.attemptReads.add({ account, attempt: sale.attemptId }))
      if (!seen) return null
      const { credited } = seen
      const left = sale.approved.total.minor - credited.total.minor
      const total = isWhole ? left : left / 2n
      if (total === 0n) return null
      const wish = { ref: nextRef(play), at: play.stage.time.now(), key, total, credited }
      return send(play, engine, newCredit(sale, wish), askToRefund(engine.needs, sale))
    })
    if (isOver) return
  }
}

async function recoverer(play: Play): Promise<void> {
  const rounds = 1 + play.dice.below(4)
  for (let round = 0; round < rounds; round += 1) {
    await surviving(play, (engine) => recoverAttempts(engine.needs))
  }
}

async function send(play: Play, { needs }: GatedEngine, attempt: NewAttempt, ask: Ask): Promise<Paid> {
  play.asked.push({ key: attempt.callerKey?.key ?? null, ref: attempt.ref })
  return pay(needs, attempt, ask)
}

// Answers whether the caller knows what it wanted to know.
async function attemptOnce(
  play: Play,
  key: string | null,
  call: (engine: GatedEngine) => Promise<Paid | null>,
): Promise<boolean> {
  const isOver = await surviving(play, async (engine) => {
    if (key !== null) {
      const asked = { account: play.stage.account, ...callerKey(key) }
      const earlier = await findEarlierAttempt(engine.needs, asked)
      if (!earlier.ok) return false
      if (earlier.value) return note(play, key, earlier.value)
    }
    const paid = await call(engine)
    if (paid?.kind === 'recorded') return note(play, key, paid.attempt)
    play.told.push(...(paid ? toldOfPaid(key, paid) : []))
    return paid?.kind === 'refused'
  })
  return isOver ?? false
}

function note(play: Play, key: string | null, attempt: Attempt): boolean {
  const { told, approved } = play
  told.push(toldOf(key, attempt))
  const { kind, state } = attempt
  if (kind === 'sale' && (state === 'approved' || state === 'partial')) approved.push(attempt)
  return isFinal(state) && state !== 'not_sent'
}

// With whichever engine lives; one that died is replaced. null: it died, or the database did not answer.
async function surviving<T>(play: Play, work: (engine: GatedEngine) => Promise<T>): Promise<T | null> {
  try {
    return await work(livingEngine(play))
  } catch (error) {
    if (error instanceof Crash || isUnreachable(error)) return null
    throw error
  }
}

function livingEngine(play: Play): GatedEngine {
  const { engines, stage, dice, turns } = play
  const at = dice.below(2)
  const engine = engines[at]
  if (engine && !engine.isDead) return engine
  const fresh = new GatedEngine(stage, dice, turns)
  engines[at] = fresh
  return fresh
}

function nextRef(play: Play): string {
  play.refs += 1
  return `s${play.seed}-${play.refs}`
}
