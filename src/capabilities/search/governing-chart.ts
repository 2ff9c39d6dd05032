import type { Chart } from '#capabilities/search/chart.ts'
import { type Expression, type Term, termsOf } from '#capabilities/search/expression.ts'
import { printTerm } from '#capabilities/search/print-expression.ts'
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
  const forFirst = terms.find((term) => isOfFirstAlone(term, { first, second }))
  const forSecond = terms.find((term) => isOfSecondAlone(term, { first, second }))
  if (forFirst && forSecond) {
    const tell = (term: Term) =>
      has(first, term.letter) && has(second, term.letter) ? printTerm(term) : term.letter
    return refuse('query_mixes_charts', { first: tell(forFirst), second: tell(forSecond) })
  }
  return ok(forSecond ? second : first)
}

// A number of the first chart's table where the second has texts, such as a result for letter E: as a
// transaction lock it would find nothing, and nobody would know why.
function isOfFirstAlone({ letter, value }: Term, { first, second }: TwoCharts<Chart, Chart>): boolean {
  if (!has(first, letter)) return false
  const [here, there] = [first[letter], second[letter]]
  if (!there) return true
  if (here?.kind !== 'word' || there.kind !== 'label') return false
  return value.kind === 'number' && Array.isArray(here.words[value.text])
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
