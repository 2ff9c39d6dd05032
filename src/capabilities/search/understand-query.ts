import type { Chart } from '#capabilities/search/chart.ts'
import type { Expression } from '#capabilities/search/expression.ts'
import { type Filter, isLed } from '#capabilities/search/filter.ts'
import { parseExpression, type SyntaxFault } from '#capabilities/search/parse-expression.ts'
import { type MeaningFault, readMeaning } from '#capabilities/search/read-meaning.ts'
import { ok, type Result } from '#kernel/result.ts'

export type QueryFault = SyntaxFault | MeaningFault

// Without a date bound or anything that an index knows, only so much is looked at.
const recentDays = 366

// What to look for. Since: the search could not use an index, so it is answered from the newest days only.
export type Search<Field extends string> = {
  readonly filter: Filter<Field>
  readonly since: Temporal.Instant | null
}

export type Circumstances = { readonly zone: string; readonly now: Temporal.Instant }

export function understandQuery<Field extends string>(
  query: string,
  chart: Chart<Field>,
  circumstances: Circumstances,
): Result<Search<Field>, QueryFault> {
  const expression = parseExpression(query)
  return expression.ok ? understandExpression(expression.value, chart, circumstances) : expression
}

// The same for an expression that has been read already.
export function understandExpression<Field extends string>(
  expression: Expression,
  chart: Chart<Field>,
  { zone, now }: Circumstances,
): Result<Search<Field>, MeaningFault> {
  const filter = readMeaning(expression, chart, zone)
  if (!filter.ok) return filter
  const since = isLed(filter.value) ? null : now.subtract({ hours: 24 * recentDays })
  return ok({ filter: filter.value, since })
}
