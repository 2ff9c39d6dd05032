import { type Comparison, type Filter, type FilterValue } from '#capabilities/search/filter.ts'
import { arrayOf, date, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import { bind, type Fragment, sql } from '#platform/postgres/condition.ts'

// What stands for a field in SQL. Columns of texts are in small letters.
type FieldColumn = Fragment & {
  // Its first two letters, where the index that leads to it begins with those.
  readonly start?: Fragment
  // The column itself, by which an index is found, where a number has 0 in place of nothing.
  readonly bare?: Fragment
  // What an index finds it by, where that has more than the field shows.
  readonly led?: Fragment
  // Of a text that is an id: the id, 0 for none.
  readonly number?: Fragment
}
export type FieldColumns<Field extends string> = Readonly<Record<Field, FieldColumn>>

const comparisons: Readonly<Record<Comparison, Fragment>> = {
  '=': sql`=`,
  '<>': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
}

// The condition that a filter sets. It is made of the columns given and of bound values, so whatever somebody
// writes into a query stays a value.
export function conditionOf<Field extends string>(
  filter: Filter<Field>,
  columns: FieldColumns<Field>,
): Fragment {
  switch (filter.kind) {
    case 'all':
      return filter.parts.map((part) => conditionOf(part, columns)).reduce(both, sql`true`)
    case 'any':
      return filter.parts.map((part) => conditionOf(part, columns)).reduce(either, sql`false`)
    case 'compare':
      return comparison(filter, columns[filter.field])
    case 'like':
      return sql`${columns[filter.field]} like lower(${bind(text, escaped(filter.pattern))})`
    case 'among': {
      const isAmong = sql`${columns[filter.field]} = any(${bind(arrayOf(text), filter.words)})`
      return filter.isNegated ? sql`not (${isAmong})` : isAmong
    }
  }
}

function comparison(
  { operator, value }: { readonly operator: Comparison; readonly value: FilterValue },
  column: FieldColumn,
): Fragment {
  if (column.bare && operator === '=' && value.value !== 0n) return sql`${column.bare} = ${bound(value)}`
  const side = value.type === 'whole' && column.number ? column.number : column
  const compared = sql`${side} ${comparisons[operator]} ${bound(value)}`
  if (operator !== '=' || value.value === '') return compared
  if (column.led) return sql`${column.led} = ${bound(value)} and ${compared}`
  return column.start ? sql`${column.start} = left(${bound(value)}, 2) and ${compared}` : compared
}

function both(left: Fragment, right: Fragment): Fragment {
  return sql`${left} and (${right})`
}

function either(left: Fragment, right: Fragment): Fragment {
  return sql`${left} or (${right})`
}

function bound(value: FilterValue): Fragment {
  switch (value.type) {
    case 'whole':
    case 'amount':
      return bind(int8, value.value)
    case 'moment':
      return bind(timestamptz, value.value)
    case 'date':
      return bind(date, value.value)
    case 'text':
      return sql`lower(${bind(text, value.value)})`
  }
}

// Only % is a wildcard here.
function escaped(pattern: string): string {
  return pattern.replaceAll(/[\\_]/g, String.raw`\$&`)
}
