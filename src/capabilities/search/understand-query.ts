import type { Chart } from '#capabilities/search/chart.ts'
import type { Expression } from '#capabilities/search/expression.ts'
import { type Filter, isLed } from '#capabilities/search/filter.ts'
import { parseExpression, type SyntaxFault } from '#capabilities/search/parse-expression.ts'
import { type MeaningFault, readMeaning } from '#capabilities/search/read-meaning.ts'
import { ok, type Result } from '#kernel/result.ts'

export type QueryFault = SyntaxFault | MeaningFault

// Without a date bound or anything that an index knows, only so much is looked at.
export const daysMax = 366

// What to look for. With recent days the search could not use an index, so it is answered from those only.
export type Understood<Field extends string> = {
  readonly filter: Filter<Field>
  readonly recentDays: number | null
  readonly now: Temporal.Instant
}

// The same for a store: since null, all records are looked at.
export type Search<Field extends string> = {
  readonly filter: Filter<Field>
  readonly since: Temporal.Instant | null
}

export type Circumstances = { readonly zone: string; readonly now: Temporal.Instant }

export function understandQuery<Field extends string>(
  query: string,
  chart: Chart<Field>,
  circumstances: Circumstances,
): Result<Understood<Field>, QueryFault> {
  const expression = parseExpression(query)
  return expression.ok ? understandExpression(expression.value, chart, circumstances) : expression
}

// The same for an expression that has been read already.
export function understandExpression<Field extends string>(
  expression: Expression,
  chart: Chart<Field>,
  { zone, now }: Circumstances,
): Result<Understood<Field>, MeaningFault> {
  const filter = readMeaning(expression, chart, zone)
  if (!filter.ok) return filter
  return ok({ filter: filter.value, recentDays: isLed(filter.value) ? null : daysMax, now })
}
