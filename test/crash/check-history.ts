import type { AttemptRow, HistoryRow, Rows } from './world-rows.ts'

// The edges of the state machine, written down a second time.
export const legalEdges: ReadonlySet<string> = new Set([
  ...['approved', 'partial', 'declined', 'not_sent', 'unknown', 'reversal_due'].map(
    (to) => `sending -> ${to}`,
  ),
  ...['approved', 'partial', 'declined', 'not_sent', 'reversed', 'reversal_due', 'manual'].map(
    (to) => `unknown -> ${to}`,
  ),
  'reversal_due -> reversing',
  ...['reversed', 'not_sent', 'manual'].map((to) => `reversing -> ${to}`),
  ...['approved', 'declined', 'reversed'].map((to) => `manual -> ${to}`),
])

// Of credits alone, which nobody takes back once the bank has them.
const edgesOfCredits = new Set(['reversing -> approved', 'reversing -> partial'])

// I16: only edges of the table, one after the other, and a fence that never goes back.
export function checkHistory({ attempts, history }: Rows): readonly string[] {
  const byAttempt = Map.groupBy(history, ({ attempt }) => attempt)
  return attempts.flatMap((attempt) => checkOne(attempt, byAttempt.get(attempt.id) ?? []))
}

function checkOne({ id, kind, state, fence }: AttemptRow, rows: readonly HistoryRow[]): readonly string[] {
  const found: string[] = []
  let at = 'sending'
  let highest = 1
  for (const { from, to, fence: own } of rows.filter(({ isLate }) => !isLate)) {
    if (from !== at) found.push(`I16 ${id} moved from ${from} while it was ${at}`)
    const edge = `${from} -> ${to}`
    const isLegal = legalEdges.has(edge) || (kind === 'credit' && edgesOfCredits.has(edge))
    if (!isLegal) found.push(`I16 ${id} moved from ${from} to ${to}`)
    if (own < highest) found.push(`I16 ${id} went back from fence ${highest} to ${own}`)
    at = to
    highest = Math.max(highest, own)
  }
  const straight = new Set(['approved', 'partial', 'declined', 'not_sent', 'refused', 'sending'])
  const isTold = at === state || (rows.every(({ isLate }) => isLate) && straight.has(state))
  if (!isTold) found.push(`I16 ${id} is ${state}, and its history ends with ${at}`)
  if (fence < highest) found.push(`I16 ${id} has fence ${fence} after ${highest}`)
  return found
}
