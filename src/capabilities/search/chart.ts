// A chart says what the letters of one query mean. It is data: nothing but a chart, a store that knows its
// fields, and a contract is needed for one more query.

// The words of a field by the number or name that a query writes for them. 'ALL' is everything.
export type Words = Readonly<Record<string, readonly string[] | 'ALL'>>

export type Kind =
  // Ids and counts.
  | { readonly kind: 'whole' }
  // In units of the currency, up to three decimals.
  | { readonly kind: 'amount' }
  | { readonly kind: 'text' }
  // Digits that are a name rather than a number: 0012 is not 12, and nothing is greater than it. Of a fixed
  // length, digits without quotes are filled up with zeros in front: answers tell some as numbers.
  | { readonly kind: 'label'; readonly length?: number }
  // An id that not every record has. Written like digits that are a name; 0, as answers tell it, and '' are
  // "none", and as a number it can be greater than another.
  | { readonly kind: 'id' }
  | { readonly kind: 'moment' }
  // A calendar date, which counts as it is written.
  | { readonly kind: 'date' }
  | { readonly kind: 'word'; readonly words: Words }

export type Meaning<Field extends string = string> = Kind & {
  readonly field: Field
  // For people: in error texts and in the docs.
  readonly means: string
  // Whether an index leads to the records of a term with =, or of a date to those from a day on. What is too
  // slow without one is refused, and these letters are named.
  readonly isLed?: true
}

export type Chart<Field extends string = string> = Readonly<Record<string, Meaning<Field>>>
