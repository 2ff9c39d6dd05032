// An expression with the meaning of its letters: fields in place of letters, values in place of texts.

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

export type FilterValue =
  | { readonly type: 'whole'; readonly value: bigint }
  // In thousandths of a unit, whatever the currency has.
  | { readonly type: 'amount'; readonly value: bigint }
  | { readonly type: 'moment'; readonly value: Temporal.Instant }
  | { readonly type: 'date'; readonly value: Temporal.PlainDate }
  | { readonly type: 'text'; readonly value: string }

type Leaf<Field extends string> = { readonly field: Field }

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
