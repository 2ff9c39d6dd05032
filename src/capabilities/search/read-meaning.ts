import type { Chart, Meaning } from '#capabilities/search/chart.ts'
import type { Expression, Term, Value } from '#capabilities/search/expression.ts'
import {
  type Comparison,
  everything,
  type Filter,
  type FilterValue,
  nothing,
} from '#capabilities/search/filter.ts'
import { parseCalendarDate, parseMoment } from '#kernel/calendar.ts'
import { parseDecimal, unitsAtScale } from '#kernel/decimal.ts'
import { ok, refuse, type Refused, type Result } from '#kernel/result.ts'

export type MeaningFault = 'query_meaningless'
type Read<T> = Result<T, MeaningFault>

const digitsMax = 15
const decimalsMax = 3
const years = { min: 1900, max: 9998 }

// Reads an expression by a chart. A date without a zone of its own is in the zone given.
export function readMeaning<Field extends string>(
  expression: Expression,
  chart: Chart<Field>,
  zone: string,
): Read<Filter<Field>> {
  if (expression.kind === 'term') return readTerm(expression, chart, zone)
  const parts: Filter<Field>[] = []
  for (const one of expression.parts) {
    const part = readMeaning(one, chart, zone)
    if (!part.ok) return part
    parts.push(part.value)
  }
  return ok({ kind: expression.kind, parts })
}

function readTerm<Field extends string>(term: Term, chart: Chart<Field>, zone: string): Read<Filter<Field>> {
  const meaning = Object.hasOwn(chart, term.letter) ? chart[term.letter] : undefined
  if (!meaning) {
    const letters = Object.keys(chart).join(' ')
    return meaningless(term.column, `there is no letter ${term.letter} here; the letters are ${letters}`)
  }
  if (meaning.kind === 'word') return readWord(term, meaning)
  if (term.operator !== 'LIKE') return readComparison({ ...term, operator: term.operator }, meaning, zone)
  if (meaning.kind !== 'text' && meaning.kind !== 'label' && meaning.kind !== 'id')
    return wrongOperator(term, meaning, '= <> < <= > or >=')
  return ok({ kind: 'like', field: meaning.field, pattern: term.value.text })
}

// Everything is equal to ALL, which is written -1, and nothing is unequal to it. No id is negative.
type Comparing = Term & { readonly operator: Comparison }

function readComparison<Field extends string>(
  { letter, operator, value: written, column }: Comparing,
  meaning: Meaning<Field>,
  zone: string,
): Read<Filter<Field>> {
  if (meaning.kind === 'label' && isOrdering(operator))
    return wrongOperator({ letter, column }, meaning, '= <> or LIKE')
  const isAll = written.text === '-1' && ['whole', 'label', 'id'].includes(meaning.kind)
  if (isAll && !isOrdering(operator)) return ok(operator === '=' ? everything : nothing)
  const value = readValue({ operator, text: textOf(written, meaning) }, meaning, zone)
  if (!value) return meaningless(written.column, `letter ${letter} (${meaning.means}) ${wants(meaning)}`)
  return ok({ kind: 'compare', field: meaning.field, operator, value })
}

function textOf({ kind, text }: Value, meaning: Meaning): string {
  const isFilled = meaning.kind === 'label' && kind === 'number' && /^\d+$/.test(text)
  return isFilled ? text.padStart(meaning.length ?? 0, '0') : text
}

function isOrdering(operator: Comparison): boolean {
  return operator !== '=' && operator !== '<>'
}

function readWord<Field extends string>(term: Term, meaning: Meaning<Field> & { kind: 'word' }) {
  const { operator, value, letter } = term
  if (operator !== '=' && operator !== '<>') return wrongOperator(term, meaning, '= or <>')
  const isNegated = operator === '<>'
  const sought = value.text.toLowerCase()
  const [found] = Object.entries(meaning.words).filter(([written]) => written.toLowerCase() === sought)
  if (!found) {
    const known = Object.keys(meaning.words).toSorted(byNumber).join(', ')
    return meaningless(value.column, `letter ${letter} (${meaning.means}) is one of ${known}`)
  }
  const [, words] = found
  if (words === 'ALL') return ok(isNegated ? nothing : everything)
  return ok({ kind: 'among', field: meaning.field, words, isNegated } as const)
}

function byNumber(left: string, right: string): number {
  return Number(left) - Number(right)
}

type Written = { readonly operator: Comparison; readonly text: string }

function readValue({ operator, text }: Written, { kind }: Meaning, zone: string): FilterValue | null {
  switch (kind) {
    case 'whole':
      return readNumber(text, 'whole', 0)
    case 'id':
      if (isOrdering(operator)) return readNumber(text, 'whole', 0)
      return { type: 'text', value: text === '0' ? '' : text }
    case 'amount':
      return readNumber(text, 'amount', decimalsMax)
    case 'moment': {
      const value = parseMoment(text, zone)
      return value && isSensible(value.toZonedDateTimeISO('UTC').year) ? { type: 'moment', value } : null
    }
    case 'date': {
      const value = parseCalendarDate(text)
      return value && isSensible(value.year) ? { type: 'date', value } : null
    }
    case 'text':
    case 'label':
    case 'word':
      return { type: 'text', value: text }
  }
}

// Texts of digits are numbers too, but 1e3 and +5 are none here.
function readNumber(text: string, type: 'whole' | 'amount', scale: number): FilterValue | null {
  const decimal = isPlain(text) ? parseDecimal(text) : null
  const value = decimal && unitsAtScale(decimal, scale)
  return value === null ? null : { type, value }
}

function isPlain(text: string): boolean {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)
}

function isSensible(year: number): boolean {
  return year >= years.min && year <= years.max
}

function wants({ kind }: Meaning): string {
  switch (kind) {
    case 'whole':
    case 'id':
      return `takes a whole number of at most ${digitsMax} digits`
    case 'amount':
      return `takes an amount with at most ${decimalsMax} decimals`
    case 'moment':
    case 'date':
      return "takes a date in single quotes, such as '2027-04-18', '4/18/2027' or '4/18/2027 07:29:47 AM'"
    case 'text':
    case 'label':
    case 'word':
      return 'takes a text in single quotes'
  }
}

function wrongOperator(
  { letter, column }: Pick<Term, 'letter' | 'column'>,
  { means }: Meaning,
  possible: string,
) {
  return meaningless(column, `letter ${letter} (${means}) can be compared by ${possible}`)
}

function meaningless(column: number, problem: string): Refused<MeaningFault> {
  return refuse('query_meaningless', { column, problem })
}
