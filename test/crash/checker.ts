import type pg from 'pg'
import type { LogRow } from '../../simulator/bank-log.ts'
import { type BankFact, bankFacts } from './bank-facts.ts'
import { checkHistory } from './check-history.ts'
import { checkOrders } from './check-orders.ts'
import { type AttemptRow, readRows, type Rows } from './world-rows.ts'

// Compares three memories after everything has come to rest: the bank's log, what callers were told, and the
// database. Knows the tables and the rules of payments, and nothing of the code that it checks.

// An answer that a caller has heard.
export type Told = {
  readonly key: string | null
  readonly attempt: bigint
  readonly outcome: 'approved' | 'partial' | 'declined' | 'reversed' | 'not_charged' | 'unknown' | 'refused'
  readonly amount: bigint
}

export type History = {
  readonly accounts: readonly bigint[]
  readonly bank: readonly LogRow[]
  readonly told: readonly Told[]
  // Every reference that was used for a key, by kind of call.
  readonly asked: readonly { readonly key: string | null; readonly ref: string }[]
  // How long after its record an authorization may still reach the bank.
  readonly sendWithinMs: number
}

type World = Rows & {
  readonly facts: ReadonlyMap<string, BankFact>
  readonly byId: ReadonlyMap<bigint, AttemptRow>
  readonly byRef: ReadonlyMap<string, AttemptRow>
  readonly past: History
}

const final = new Set(['approved', 'partial', 'declined', 'not_sent', 'reversed', 'refused'])
const charged = new Set(['approved', 'partial'])

const checks: readonly ((world: World) => readonly string[])[] = [
  oneChargePerKey,
  bankAndBooksAgree,
  whatWasToldHolds,
  answersOfOneKeyAreEqual,
  booksAreWhole,
  limitsAreRight,
  amountsAreWithinBounds,
  outcomesAreFound,
  instalmentsArePaidOnce,
  voidsAreSingle,
  creditsAreWithinSales,
  sentInTime,
  allAtRest,
  eventsAreSingle,
]

// Sentences, each beginning with the name of the invariant that does not hold.
export async function findViolations(client: pg.Client, history: History): Promise<readonly string[]> {
  const rows = await readRows(client, history.accounts)
  const world: World = {
    ...rows,
    facts: bankFacts(history.bank),
    byId: new Map(rows.attempts.map((one) => [one.id, one])),
    byRef: new Map(rows.attempts.map((one) => [one.ref, one])),
    past: history,
  }
  return [...checks.flatMap((check) => check(world)), ...checkHistory(rows), ...checkOrders(rows)]
}

function oneChargePerKey({ facts, past }: World): readonly string[] {
  const byKey = Map.groupBy(
    past.asked.filter(({ key }) => key !== null),
    ({ key }) => key,
  )
  return [...byKey].flatMap(([key, asked]) => {
    const open = new Set(asked.map(({ ref }) => ref).filter((ref) => (facts.get(ref)?.net ?? 0n) > 0n))
    return open.size > 1 ? [`I1 key ${key} has ${open.size} open approvals`] : []
  })
}

function bankAndBooksAgree({ facts, attempts, byRef, postings }: World): readonly string[] {
  const strangers = [...facts.values()]
    .filter(({ ref, net }) => net > 0n && !byRef.has(ref))
    .map(({ ref, net }) => `I2 the bank holds ${net} under ${ref}, which we do not know`)
  const moved = attempts.filter(({ kind }) => kind === 'sale' || kind === 'credit')
  const differences = moved.flatMap(({ kind, ref, state }) => {
    const parts = attempts.filter(({ subjectRef }) => subjectRef === ref).map(({ id }) => id)
    const ours = postings
      .filter(({ attempt }) => parts.includes(attempt))
      .reduce((sum, { debit, amount }) => sum + (debit === 'acquirer' ? amount : -amount), 0n)
    const net = facts.get(ref)?.net ?? 0n
    const theirs = kind === 'credit' ? -net : net
    return ours === theirs ? [] : [`I2 ${kind} ${ref} (${state}): the bank holds ${theirs}, we ${ours}`]
  })
  const invented = attempts
    .filter(({ kind, state }) => kind !== 'void' && charged.has(state))
    .filter(({ ref }) => facts.get(ref)?.wasApproved !== true)
    .map(({ ref }) => `I4 ${ref} is approved with us, not at the bank`)
  return [...strangers, ...differences, ...invented]
}

function whatWasToldHolds({ byId, facts, past }: World): readonly string[] {
  return past.told.flatMap(({ attempt: id, outcome, amount }) => {
    const attempt = byId.get(id)
    if (!attempt) return [`I3 ${outcome} was told of ${id}, which does not exist`]
    if (outcome === 'approved' || outcome === 'partial') {
      const holds = attempt.state === outcome && attempt.approved === amount
      return holds ? [] : [`I3 ${outcome} ${amount} was told of ${id}, which is ${attempt.state}`]
    }
    const isClosed = outcome === 'declined' || outcome === 'reversed' || outcome === 'not_charged'
    const isOpen = attempt.kind !== 'void' && (facts.get(attempt.ref)?.net ?? 0n) > 0n
    return isClosed && isOpen ? [`I4 ${outcome} was told of ${id}, whose approval is open`] : []
  })
}

const lasting = new Set(['approved', 'partial', 'declined', 'reversed'])

function answersOfOneKeyAreEqual({ past }: World): readonly string[] {
  const told = past.told.filter(({ key, outcome }) => key !== null && lasting.has(outcome))
  return [...Map.groupBy(told, ({ key }) => key)].flatMap(([key, answers]) => {
    const different = new Set(
      answers.map(({ attempt, outcome, amount }) => `${attempt} ${outcome} ${amount}`),
    )
    return different.size > 1 ? [`I5 key ${key} was answered ${[...different].join(' and ')}`] : []
  })
}

function booksAreWhole({ attempts, postings, byId }: World): readonly string[] {
  const strays = postings
    .filter(({ attempt }) => !charged.has(byId.get(attempt)?.state ?? ''))
    .map(({ attempt }) => `I6 a posting of ${attempt}, which is not approved`)
  const wrong = attempts
    .filter(({ kind, state }) => kind !== 'verify' && charged.has(state))
    .flatMap(({ id, kind, approved, approvedFee }) => {
      const own = postings.filter(({ attempt }) => attempt === id)
      const isRightWay = own.every(({ debit, credit }) => (kind === 'sale' ? debit : credit) === 'acquirer')
      const sum = own.reduce((total, { amount }) => total + amount, 0n)
      const fees = own
        .filter(({ debit, credit }) => debit === 'fees' || credit === 'fees')
        .reduce((total, { amount }) => total + amount, 0n)
      const isRight = isRightWay && sum === approved && fees === approvedFee
      return isRight ? [] : [`I6 ${id} posted ${sum} with fee ${fees}, not ${approved} with ${approvedFee}`]
    })
  return [...strays, ...wrong]
}

// Only what rests with an operator still holds a reservation.
function limitsAreRight({ attempts, limits }: World): readonly string[] {
  const expected = new Map<string, bigint>()
  for (const { kind, state, following, approved, total } of attempts) {
    const subject = following.find(([name]) => name === 'limit')?.[1]
    if (subject === undefined) continue
    const held = kind === 'sale' && state === 'manual' ? total : approved
    expected.set(subject, (expected.get(subject) ?? 0n) + (kind === 'void' ? -held : held))
  }
  return [...expected].flatMap(([subject, sum]) => {
    const used = limits.get(subject)
    return used === sum ? [] : [`I7 limit ${subject} has ${used} used, approved are ${sum}`]
  })
}

function amountsAreWithinBounds({ attempts, payments, byId }: World): readonly string[] {
  const over = attempts
    .filter(({ total, fee, approved, approvedFee }) => approved > total || approvedFee > fee)
    .map(({ id, approved, total }) => `I8 ${id} approved ${approved} of ${total}`)
  const different = payments
    .filter(({ id, status, total, fee }) => {
      const attempt = byId.get(id)
      const isFailed = status === 'failed'
      const shown = isFailed ? attempt?.total : attempt?.approved
      return total !== shown || fee !== (isFailed ? attempt?.fee : attempt?.approvedFee)
    })
    .map(({ id }) => `I8 payment ${id} shows another amount than its attempt`)
  return [...over, ...different]
}

// Whoever looks for a sale finds what its caller was told, a decline as well: also an approval that was
// declined because it broke a condition, which is why it has a code.
function outcomesAreFound({ attempts, payments }: World): readonly string[] {
  const found = new Map(payments.map(({ id, status }) => [id, status]))
  return attempts.flatMap(({ id, kind, state, resultCode }) => {
    const isPayment = kind === 'sale' || kind === 'credit'
    const isDeclined = state === 'declined' || (state === 'reversed' && resultCode !== '')
    const status = found.get(id) ?? 'not there'
    const isRight =
      isPayment && charged.has(state)
        ? status === 'open' || status === 'void'
        : status === (isPayment && isDeclined ? 'failed' : 'not there')
    return isRight ? [] : [`I3 ${kind} ${id} is ${state} with code '${resultCode}', its payment is ${status}`]
  })
}

// Each of them is charged at most once, says so, and counts every attempt and every try.
function instalmentsArePaidOnce({ attempts, instalments, facts }: World): readonly string[] {
  return instalments.flatMap(({ id, state, numbered, tries }) => {
    const own = attempts.filter(({ following }) =>
      following.some(([name, subject]) => name === 'instalment' && subject === id),
    )
    const paid = own.filter((one) => charged.has(one.state))
    const standing = own.filter(({ ref }) => (facts.get(ref)?.net ?? 0n) > 0n)
    const sent = own.filter((one) => one.state !== 'not_sent' && one.state !== 'refused')
    const isOpen = own.some((one) => !final.has(one.state))
    const isRight =
      paid.length <= 1 &&
      standing.length === paid.length &&
      (state === 'paid') === (paid.length === 1) &&
      (state === 'charging') === isOpen &&
      numbered === own.length &&
      tries === sent.length
    return isRight
      ? []
      : [`I9 ${id} is ${state} after ${tries} tries, with ${own.length} attempts, ${paid.length} approved`]
  })
}

function voidsAreSingle({ attempts, payments }: World): readonly string[] {
  return payments.flatMap(({ id, status, takenBy }) => {
    const voids = attempts.filter(({ kind, parent }) => kind === 'void' && parent === id)
    const done = voids.filter(({ state }) => state === 'approved')
    const held = attempts.filter(({ kind, parent, state }) => {
      return (kind === 'void' || kind === 'credit') && parent === id && !final.has(state)
    })
    const isRight =
      done.length <= 1 &&
      (status === 'void') === (done.length === 1) &&
      (takenBy !== null) === (done.length + held.length === 1)
    return isRight ? [] : [`I10 payment ${id} is ${status}, taken by ${takenBy}, with ${done.length} voids`]
  })
}

// Fee and all, to the cent; and the sale says how much of it is gone.
function creditsAreWithinSales({ attempts, payments }: World): readonly string[] {
  const credits = attempts.filter(({ kind, state }) => kind === 'credit' && charged.has(state))
  return payments.flatMap(({ id, status, total, fee, credited, creditedFee }) => {
    const own = credits.filter(({ parent }) => parent === id)
    const given = own.reduce((sum, { approved }) => sum + approved, 0n)
    const givenFee = own.reduce((sum, { approvedFee }) => sum + approvedFee, 0n)
    const isWithin = given <= total && givenFee <= fee && (given === 0n || status === 'open')
    const isTold = given === credited && givenFee === creditedFee
    return isWithin && isTold
      ? []
      : [
          `I10 ${given} (fee ${givenFee}) of ${id} were credited, it is ${status} with ${credited} of ${total}`,
        ]
  })
}

function sentInTime({ byRef, facts, past }: World): readonly string[] {
  return [...facts.values()].flatMap(({ ref, arrivedAtMs }) => {
    const lateMs = arrivedAtMs - (byRef.get(ref)?.createdAtMs ?? Infinity) - past.sendWithinMs
    return lateMs > 0 ? [`I13 ${ref} reached the bank ${lateMs} ms too late`] : []
  })
}

function allAtRest({ attempts }: World): readonly string[] {
  return attempts.flatMap(({ id, state, isOwned }) => {
    if (!final.has(state)) return [`I14 ${id} is still ${state}`]
    return isOwned ? [`I14 ${id} is ${state} and still on the list of the unresolved`] : []
  })
}

const outcomeEvents = new Set(
  ['approved', 'declined', 'voided', 'credited'].map((outcome) => `payment.${outcome}`),
)

// What a follower refused was never an outcome. A verification that succeeds is told by what it was for.
function eventsAreSingle({ attempts, events }: World): readonly string[] {
  const told = Map.groupBy(
    events.filter(({ type }) => outcomeEvents.has(type)),
    ({ type, object }) => `${type} ${object}`,
  )
  const due = new Set(attempts.flatMap(expectedEvents))
  const missing = [...due].filter((one) => told.get(one)?.length !== 1)
  const surplus = [...told.keys()].filter((one) => !due.has(one))
  return [
    ...missing.map((one) => `I15 ${one} was written ${told.get(one)?.length ?? 0} times`),
    ...surplus.map((one) => `I15 ${one} was written and did not happen`),
  ]
}

function expectedEvents({ id, kind, state, parent }: AttemptRow): readonly string[] {
  if (!final.has(state) || state === 'refused') return []
  if (!charged.has(state)) return [`payment.declined ${id}`]
  if (kind === 'verify') return []
  if (kind === 'void') return [`payment.voided ${parent}`]
  return [kind === 'credit' ? `payment.credited ${id}` : `payment.approved ${id}`]
}
