import { setImmediate as nextTurn } from 'node:timers/promises'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import type { Attempt, Following, NewAttempt } from '#engine/payments/attempt.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { Crash, type PaymentNeeds, usualPatience } from '#engine/payments/payment-needs.ts'
import { assert } from '#kernel/assert.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'
import {
  amounts,
  askToCharge,
  askToRefund,
  askToVoid,
  callerKey,
  newAttempt,
  newCredit,
  newVoid,
  type SaleWish,
} from './attempt-builder.ts'
import { findViolations, type History, type Told } from './checker.ts'
import { type CrashCase, deliveries, nameOf } from './crash-cases.ts'
import { addInstalment, readInstalment } from './instalment-rows.ts'
import { madeWithOrder, openWaitingOrder } from './order-rows.ts'
import { engineOn, isQuiet, type Lane, openStage, recoverUntilQuiet, type Stage } from './lane.ts'
import type { MortalEngine } from './mortal-engine.ts'

type Past = { readonly told: Told[]; readonly asked: { key: string | null; ref: string }[] }
type Play = {
  readonly stage: Stage
  readonly the: CrashCase
  readonly past: Past
  readonly sale: Attempt | null
  readonly key: string | null
  readonly instalment: bigint | null
  readonly order: Following | null
}

// Plays one case to its end and answers what does not hold.
export async function violationsOf(lane: Lane, the: CrashCase): Promise<readonly string[]> {
  const stage = await openStage(lane, nameOf(the))
  const past: Past = { told: [], asked: [] }
  const sale = the.kind === 'void' || the.kind === 'credit' ? await chargeFirst(stage, the, past) : null
  const key = the.hasKey ? `key-${stage.account}` : null
  const [instalment, order] = [await instalmentFor(stage, the), await orderFor(stage, the)]
  const play = { stage, the, past, sale, key, instalment, order }
  plantFaults(play)
  await callOnce(play)
  await recover(play)
  await callAgain(play)
  return findViolations(stage.client, await historyOf(play))
}

async function historyOf({ stage, past }: Play): Promise<History> {
  const rows = await stage.bank.log.read({ last: 1_000 })
  const { leaseMs } = usualPatience
  return { ...past, accounts: [stage.account], bank: rows.toReversed(), sendWithinMs: leaseMs }
}

const partial = amounts(990_010n, 300n)
const hasParts = (the: CrashCase): boolean =>
  the.behaviour === 'approves a part' || the.behaviour === 'breaks a condition'

function instalmentFor(stage: Stage, the: CrashCase): Promise<bigint> | null {
  const { total } = hasParts(the) ? partial : amounts(1_000n, 30n)
  return the.kind === 'instalment' ? addInstalment(stage, total.minor) : null
}

function orderFor({ database, account, time }: Stage, the: CrashCase): Promise<Following> | null {
  const { total: amount } = hasParts(the) ? partial : amounts(1_000n, 30n)
  const at = time.now()
  return the.kind === 'order' ? openWaitingOrder(database.db, { account, amount, at }) : null
}

async function chargeFirst(stage: Stage, the: CrashCase, past: Past): Promise<Attempt> {
  const { needs } = engineOn(stage)
  const { account, limit } = stage
  const asked = the.behaviour === 'approves a part' ? partial : amounts(1_000n, 30n)
  const at = needs.clock.now()
  const order = await madeWithOrder(stage.database.db, { account, amount: asked.total, at })
  const following = [{ follower: 'limit', subject: limit, detail: null }, order]
  const attempt = newAttempt({ account, ref: `first-${account}`, at, following, amounts: asked })
  past.asked.push({ key: null, ref: attempt.ref })
  const paid = await pay(needs, attempt, askToCharge(needs))
  assert(paid.kind === 'recorded', 'the first sale is recorded')
  past.told.push(toldOf(null, paid.attempt))
  return paid.attempt
}

function plantFaults({ stage: { bank, account }, the, sale }: Play): void {
  const delivery = deliveries[the.behaviour]
  if (!delivery) return
  if (the.kind === 'void' && sale) bank.faults.add({ ref: sale.ref, verb: 'reverse', times: 1, delivery })
  else {
    const verb = the.kind === 'credit' ? 'refund' : 'authorize'
    bank.faults.add({ ref: `ref-${account}-0`, verb, times: 1, delivery })
  }
}

// The call that meets its fate.
async function callOnce(play: Play): Promise<void> {
  const { stage, the, sale } = play
  if (sale && the.kind === 'void' && the.behaviour === 'declines') await settle(stage, sale)
  const engine = fatedEngine(play)
  try {
    await call(play, engine, 0)
  } catch (error) {
    if (!(error instanceof Crash) && !isUnreachable(error)) throw error
  }
  // What the dead had sent arrives all the same.
  await nextTurn()
}

function fatedEngine(play: Play): MortalEngine {
  const { stage, the } = play
  const neverLeaves = the.behaviour === 'never leaves'
  const { death } = the
  switch (death.in) {
    case 'request':
      return engineOn(stage, { neverLeaves, dieAt: death.at })
    case 'recovery':
      // There must be something to recover.
      return engineOn(stage, { neverLeaves, dieAt: 'after_send' })
    case 'commit':
      return engineOn(stage, { neverLeaves, losesCommit: death.nth })
    case 'sleep':
      return engineOn(stage, { neverLeaves, onSleep: { at: death.at, meanwhile: () => recover(play) } })
    case 'nothing':
      return engineOn(stage, { neverLeaves })
  }
}

async function settle({ bank }: Stage, { ref, approved }: Attempt): Promise<void> {
  const items = [{ ref, amount: approved.total, isCredit: false }]
  const line = { say: () => undefined, hangUp: () => undefined }
  await bank.receive({ verb: 'settle', number: 1, ref: `batch-${ref}`, terminalId: 'T1', items }, line)
}

async function call(play: Play, engine: MortalEngine, turn: number): Promise<void> {
  const { past, key } = play
  const attempt = await attemptOf(play, turn)
  past.asked.push({ key: subjectOf(play), ref: attempt.ref })
  const paid = await pay(engine.needs, attempt, askFor(play, engine))
  past.told.push(...toldOfPaid(key, paid))
}

// Of all attempts under one key, for one instalment or for one order at the most one may stand.
function subjectOf({ key, instalment, order }: Play): string | null {
  if (order) return `order-${order.subject}`
  return instalment === null ? key : `instalment-${instalment}`
}

function askFor({ the, sale }: Play, { needs }: MortalEngine): Ask {
  if (the.kind === 'void') return askToVoid(needs)
  if (sale) return the.behaviour === 'declines' ? askForTooMuch(needs, sale) : askToRefund(needs, sale)
  return askToCharge(needs, the.behaviour === 'declines' ? '4000000000000002' : cardOf(the))
}

// What the bank declines because it is more than the sale.
function askForTooMuch(needs: PaymentNeeds, sale: Attempt): Ask {
  return (attempt, signal) => askToRefund(needs, sale)({ ...attempt, amounts: partial }, signal)
}

// A verification that breaks a condition: the address does not match.
function cardOf(the: CrashCase): string {
  return the.kind === 'verify' && hasParts(the) ? '4000000000000010' : '4111111111111111'
}

async function attemptOf(play: Play, turn: number): Promise<NewAttempt> {
  const { stage, the, sale, key } = play
  const { account, limit, time } = stage
  const limited = { follower: 'limit', subject: limit, detail: null }
  const wish = { account, ref: `ref-${account}-${turn}`, at: time.now(), key }
  if (sale && the.kind === 'credit') {
    const total = sale.approved.total.minor
    return newCredit(sale, { ...wish, total, credited: amounts(0n) })
  }
  if (sale) {
    const parent = { follower: 'parent', subject: sale.attemptId, detail: null }
    return newVoid(sale, { ...wish, following: [limited, parent] })
  }
  if (the.kind === 'verify') {
    const avsNeeded = hasParts(the) ? 'full' : 'none'
    return newAttempt({
      ...wish,
      kind: 'verify',
      conditions: { acceptsPartial: true, avsNeeded, cvvNeeded: false },
    })
  }
  return chargeOf(play, { ...wish, following: [limited] })
}

async function chargeOf({ stage, the, instalment, order }: Play, wish: SaleWish): Promise<NewAttempt> {
  const acceptsPartial = the.behaviour !== 'breaks a condition'
  const conditions = { acceptsPartial, avsNeeded: 'none', cvvNeeded: false } as const
  const asked = hasParts(the) ? partial : amounts(1_000n, 30n)
  const charge = { ...wish, amounts: asked, conditions }
  const { account, at, following = [] } = wish
  // Its payer finds the order again, so what is found approved later stands.
  if (order) return { ...newAttempt({ ...charge, following: [...following, order] }), policy: 'resolve' }
  if (instalment === null) {
    const made = await madeWithOrder(stage.database.db, { account, amount: asked.total, at })
    return newAttempt({ ...charge, following: [...following, made] })
  }
  const { attempts } = await readInstalment(stage, instalment)
  const detail = { attemptsBefore: attempts, takesFailed: false, attemptOn: null }
  const taken = { follower: 'instalment', subject: instalment, detail }
  // We own the retry, so what is found approved later stands.
  return { ...newAttempt({ ...charge, following: [...following, taken] }), policy: 'resolve' }
}

async function recover({ stage, the }: Play): Promise<void> {
  if (the.timing === 'after the lease') stage.time.advance(usualPatience.leaseMs + 1_000)
  if (the.death.in === 'recovery') await recoverAndDie(stage, engineOn(stage, { dieAt: the.death.at }))
  const recoverers = the.timing === 'two recoverers' ? [engineOn(stage), engineOn(stage)] : [engineOn(stage)]
  await recoverUntilQuiet(stage, recoverers)
}

// The first recoverer goes on until it comes to its end.
async function recoverAndDie(stage: Stage, recoverer: MortalEngine): Promise<void> {
  try {
    for (let round = 0; round < 4; round += 1) {
      await recoverAttempts(recoverer.needs)
      stage.time.advance(61_000)
    }
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
}

// Whoever has a key asks until it hears what became of it, and once more.
async function callAgain(play: Play): Promise<void> {
  const { stage, past, key, instalment, order } = play
  if (instalment !== null) return runAgain(play, instalment)
  if (order) return comeAgain(play)
  if (key === null) return
  for (let turn = 1; turn <= 2; turn += 1) {
    const { needs } = engineOn(stage)
    const earlier = await findEarlierAttempt(needs, { account: stage.account, ...callerKey(key) })
    if (earlier.ok && earlier.value) past.told.push(toldOf(key, earlier.value))
    else if (earlier.ok) await call(play, engineOn(stage), turn)
    if (!(await isQuiet(stage))) await recoverUntilQuiet(stage, [engineOn(stage)])
  }
}

// The runs of the next days charge it if it is still to be charged.
async function runAgain(play: Play, instalment: bigint): Promise<void> {
  const { stage } = play
  for (let turn = 1; turn <= 2; turn += 1) {
    const { state } = await readInstalment(stage, instalment)
    if (state !== 'scheduled') return
    await call(play, engineOn(stage), turn)
    await recoverUntilQuiet(stage, [engineOn(stage)])
  }
}

// A payer who comes back again and again: whoever finds the order waiting charges it, and nobody else.
async function comeAgain(play: Play): Promise<void> {
  for (let turn = 1; turn <= 2; turn += 1) {
    await call(play, engineOn(play.stage), turn)
    await recoverUntilQuiet(play.stage, [engineOn(play.stage)])
  }
}

export function toldOfPaid(key: string | null, paid: Paid): readonly Told[] {
  if (paid.kind === 'duplicate' || paid.kind === 'not_begun') return []
  if (paid.kind === 'recorded') return [toldOf(key, paid.attempt)]
  return [{ key, attempt: paid.attempt.attemptId, outcome: 'refused', amount: 0n }]
}

export function toldOf(key: string | null, attempt: Attempt): Told {
  const said = outcomeOf(attempt)
  const words = {
    not_charged: 'not_charged',
    outcome_unknown: 'unknown',
    charge_reversed: 'reversed',
  } as const
  const common = { key, attempt: attempt.attemptId, amount: 0n }
  if (!said.ok) {
    assert(said.refusal.kind !== 'key_running', 'an attempt is not its own rival')
    return { ...common, outcome: words[said.refusal.kind] }
  }
  const { state, approved } = said.value
  if (state === 'approved' || state === 'partial')
    return { ...common, outcome: state, amount: approved.total.minor }
  return { ...common, outcome: 'declined' }
}
