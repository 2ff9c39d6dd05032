import type { Chart } from '#capabilities/search/chart.ts'
import { type Expression, type Term, termsOf } from '#capabilities/search/expression.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type TwoCharts<First extends Chart, Second extends Chart> = {
  readonly first: First
  readonly second: Second
}

// Spec "International query": two charts disagree, and which one governs is not shown. The first does, unless
// a term makes sense in the second alone.
export function governingChart<First extends Chart, Second extends Chart>(
  expression: Expression,
  { first, second }: TwoCharts<First, Second>,
): Result<First | Second, 'query_mixes_charts'> {
  const terms = termsOf(expression)
  const forFirst = terms.find(({ letter }) => has(first, letter) && !has(second, letter))
  const forSecond = terms.find((term) => isOfSecondAlone(term, { first, second }))
  if (forFirst && forSecond)
    return refuse('query_mixes_charts', { first: forFirst.letter, second: forSecond.letter })
  return ok(forSecond ? second : first)
}

// A quoted text where the first chart has a table without it, such as a transaction lock for letter E, is a
// value of the second.
function isOfSecondAlone({ letter, value }: Term, { first, second }: TwoCharts<Chart, Chart>): boolean {
  if (!has(second, letter)) return false
  const [here, there] = [first[letter], second[letter]]
  if (!here) return true
  if (here.kind !== 'word' || there?.kind !== 'label') return false
  return value.kind === 'text' && !has(here.words, value.text)
}

function has(table: object, key: string): boolean {
  return Object.hasOwn(table, key)
}
