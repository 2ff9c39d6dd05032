// An expression with the meaning of its letters: fields in place of letters, values in place of texts.

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

export type FilterValue =
  | { readonly type: 'whole'; readonly value: bigint }
  // In thousandths of a unit, whatever the currency has.
  | { readonly type: 'amount'; readonly value: bigint }
  | { readonly type: 'moment'; readonly value: Temporal.Instant }
  | { readonly type: 'date'; readonly value: Temporal.PlainDate }
  | { readonly type: 'text'; readonly value: string }

type Leaf<Field extends string> = {
  readonly field: Field
  // An index leads to its rows.
  readonly isLed: boolean
}

export type Filter<Field extends string> =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Filter<Field>[] }
  | (Leaf<Field> & {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly value: FilterValue
    })
  // % stands for any letters, and nothing else is special.
  | (Leaf<Field> & { readonly kind: 'like'; readonly pattern: string })
  | (Leaf<Field> & { readonly kind: 'among'; readonly words: readonly string[]; readonly isNegated: boolean })

export const everything = { kind: 'all', parts: [] } as const
export const nothing = { kind: 'any', parts: [] } as const

// Whether somebody asks for a time that ended: then the newest records are not the ones that are meant.
export function hasEnd(filter: Filter<string>): boolean {
  if ('parts' in filter) return filter.parts.some(hasEnd)
  if (filter.kind !== 'compare' || filter.operator.startsWith('>')) return false
  return filter.value.type === 'moment' || filter.value.type === 'date'
}

// Whether the rows can be found without looking at all of them: all parts of an alternative must be, one
// part of a conjunction is enough.
export function isLed(filter: Filter<string>): boolean {
  if ('isLed' in filter) return filter.isLed
  return filter.kind === 'all' ? filter.parts.some(isLed) : filter.parts.every(isLed)
}
