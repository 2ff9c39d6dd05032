import type { AttemptRow, OrderRow, RecordRow, Rows } from './world-rows.ts'

// I18: every order says what became of its charge, once; it is void if and only if its money never went to
// the bank and was given back as a whole; and its refunds are those of its credits, together no more than
// its amount.
export function checkOrders({ orders, records, attempts }: Rows): readonly string[] {
  const byOrder = Map.groupBy(records, ({ order }) => order)
  const byRef = new Map(attempts.map((one) => [one.ref, one]))
  const known = orders.flatMap((order) => {
    const sale = byRef.get(order.saleRef ?? '') ?? null
    const undoing = attempts.filter(({ parent, kind }) => parent === sale?.id && kind !== 'sale')
    const seen = { order, sale, undoing, own: byOrder.get(order.id) ?? [] }
    return checks.flatMap((check) => check(seen)).map((problem) => `I18 order ${order.id} ${problem}`)
  })
  const followed = new Set(attempts.flatMap(subjectsOf))
  const kept = new Set(orders.map(({ id }) => id))
  const lost = [...followed].filter((id) => !kept.has(id)).map((id) => `I18 order ${id} is lost`)
  return [...known, ...lost]
}

// What a follower refused left no order, unless its payer had begun it before.
function subjectsOf({ state, kind, following }: AttemptRow): readonly string[] {
  if (state === 'refused' || kind !== 'sale') return []
  return following.filter(([name]) => name === 'order').map(([, subject]) => subject)
}

type Seen = {
  readonly order: OrderRow
  readonly sale: AttemptRow | null
  readonly undoing: readonly AttemptRow[]
  readonly own: readonly RecordRow[]
}

const charged = new Set(['approved', 'partial'])
const ends = new Set(['SETTLED', 'DECLINED', 'REVERSAL'])

const checks: readonly ((seen: Seen) => readonly string[])[] = [
  stateIsThatOfTheCharge,
  endsOnce,
  voidsAreNotBanked,
  refundsAreCredits,
  eachAttemptEndsOnce,
  isGivenBack,
]

function stateIsThatOfTheCharge({ order, sale, undoing }: Seen): readonly string[] {
  const expected = stateAfter(sale, undoing)
  return expected.includes(order.state) ? [] : [`is ${order.state} after a charge that is ${sale?.state}`]
}

function stateAfter(sale: AttemptRow | null, undoing: readonly AttemptRow[]): readonly string[] {
  if (!sale) return ['opened', 'challenged', 'declined']
  const isVoid = undoing.some(({ kind, state }) => kind === 'void' && state === 'approved')
  if (charged.has(sale.state)) return [isVoid ? 'void' : 'settled']
  return [sale.state === 'reversed' && sale.resultCode === '' ? 'reversed' : 'declined']
}

function endsOnce({ order, sale, own }: Seen): readonly string[] {
  const told = own.filter(({ action, status }) => action !== 'CREDITVOID' && ends.has(status))
  const due = order.state === 'opened' || order.state === 'challenged' ? 0 : 1
  if (told.length !== due) return [`is ${order.state} and ends ${told.length} times`]
  const settled = told.find(({ status }) => status === 'SETTLED')
  const wrong = settled && settled.amount !== sale?.approved
  return wrong ? [`is settled with ${settled.amount}, approved were ${sale?.approved}`] : []
}

function voidsAreNotBanked({ order, own }: Seen): readonly string[] {
  const voids = own.filter(({ status }) => status === 'VOID')
  if (voids.length !== (order.state === 'void' ? 1 : 0))
    return [`is ${order.state} with ${voids.length} voids`]
  const isBanked = order.isBanked || own.some((one) => one.isBanked || one.awaitsBank)
  return voids.length > 0 && isBanked ? ['is void and went to the bank'] : []
}

function refundsAreCredits({ sale, undoing, own }: Seen): readonly string[] {
  const refunds = own
    .filter(({ status }) => status === 'REFUND')
    .reduce((sum, { amount }) => sum + amount, 0n)
  const credits = undoing
    .filter(({ kind, state }) => kind === 'credit' && charged.has(state))
    .reduce((sum, { approved }) => sum + approved, 0n)
  if (refunds !== credits) return [`has refunds of ${refunds} and credits of ${credits}`]
  return refunds > (sale?.approved ?? 0n) ? [`has refunds of ${refunds}, more than it is`] : []
}

function eachAttemptEndsOnce({ own }: Seen): readonly string[] {
  const byAttempt = Map.groupBy(
    own.filter(({ attemptRef }) => attemptRef !== ''),
    ({ attemptRef, status }) => `${attemptRef} ${status === 'PENDING' ? 'is pending' : 'ends'}`,
  )
  return [...byAttempt].filter(([, told]) => told.length > 1).map(([what]) => `tells twice that ${what}`)
}

function isGivenBack({ order }: Seen): readonly string[] {
  return order.takenBy === null ? [] : [`stays taken by ${order.takenBy}`]
}
