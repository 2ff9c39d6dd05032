// What a search expression says, before anybody knows what its letters mean.

export const operators = ['=', '<>', '<', '<=', '>', '>=', 'LIKE'] as const
export type Operator = (typeof operators)[number]

// A number as it is written, so that 0012 can still be the end of a card number; a text without its quotes.
export type Value = { readonly kind: 'number' | 'text'; readonly text: string; readonly column: number }

export type Term = {
  readonly kind: 'term'
  readonly letter: string
  readonly operator: Operator
  readonly value: Value
  readonly column: number
}

export type Expression =
  | Term
  | { readonly kind: 'all' | 'any'; readonly parts: readonly [Expression, Expression, ...Expression[]] }

export function termsOf(expression: Expression): readonly Term[] {
  return expression.kind === 'term' ? [expression] : expression.parts.flatMap(termsOf)
}
