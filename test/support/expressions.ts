import fc from 'fast-check'
import type { Chart, Meaning } from '#capabilities/search/chart.ts'
import { type Expression, type Operator, operators, type Term } from '#capabilities/search/expression.ts'

// Random expressions of the query language: any that can be written, and those that make sense in a chart.

const letters = 'ABCDEFGHJKLMNPQRSTUWXZ'.split('')
const noColumn = 0
const plain = { noNullPrototype: true } as const

const anyText = fc.oneof(
  fc.string({ maxLength: 12, unit: 'binary' }).map((text) => text.replaceAll(/\p{Cc}/gu, '')),
  fc.constantFrom("O'Hara", "''", '%', '_%\\', '%son', 'Mil%', "' or 1=1 --", ')||(A>0', '$1', 'İß'),
)
const anyNumber = fc.constantFrom('0', '-1', '7', '0012', '10.50', '999999999999999', '-0.001')

const anyTerm: fc.Arbitrary<Expression> = fc.record(
  {
    kind: fc.constant('term' as const),
    letter: fc.constantFrom(...letters),
    operator: fc.constantFrom(...operators),
    value: fc.oneof(textValue(anyText), numberValue(anyNumber)),
    column: fc.constant(noColumn),
  },
  plain,
)

// At most 3 deep and 4 wide, so never more than 64 terms.
export const anyExpression = joined(anyTerm, 3)

// Terms whose letters, operators and values the chart understands.
export function expressionIn(chart: Chart): fc.Arbitrary<Expression> {
  const terms = Object.entries(chart).map(([letter, meaning]) => termOf(letter, meaning))
  return joined(fc.oneof(...terms), 3)
}

// An id is compared as a number, or found by what is written.
function termOf(letter: string, meaning: Meaning): fc.Arbitrary<Term> {
  if (meaning.kind === 'id')
    return fc.oneof(...(['whole', 'label'] as const).map((kind) => termOf(letter, { ...meaning, kind })))
  return fc.record(
    {
      kind: fc.constant('term' as const),
      letter: fc.constant(letter),
      operator: fc.constantFrom(...operatorsOf(meaning)),
      value: valueOf(meaning),
      column: fc.constant(noColumn),
    },
    plain,
  )
}

function operatorsOf({ kind }: Meaning): readonly Operator[] {
  if (kind === 'word') return ['=', '<>']
  if (kind === 'label') return ['=', '<>', 'LIKE']
  return kind === 'text' ? operators : operators.filter((one) => one !== 'LIKE')
}

function valueOf(meaning: Meaning): fc.Arbitrary<Term['value']> {
  switch (meaning.kind) {
    case 'whole':
      return numberValue(fc.constantFrom('0', '1', '2', '-1', '57', '999999999999999', '-999999999999999'))
    case 'amount':
      return numberValue(fc.constantFrom('0', '25.5', '25.50', '-1', '999999999999999.999', '0.001'))
    case 'moment':
    case 'date':
      return textValue(
        fc.constantFrom(
          '1900-01-02',
          '12/30/9998',
          '1/15/2027',
          '2027-01-15T10:00:00Z',
          '1/15/2027 12:00:00 AM',
        ),
      )
    case 'word':
      return textValue(fc.constantFrom(...Object.keys(meaning.words)))
    case 'text':
    case 'label':
    case 'id':
      return fc.oneof(textValue(anyText), numberValue(anyNumber))
  }
}

function textValue(text: fc.Arbitrary<string>): fc.Arbitrary<Term['value']> {
  return text.map((one) => ({ kind: 'text', text: one, column: noColumn }))
}

function numberValue(text: fc.Arbitrary<string>): fc.Arbitrary<Term['value']> {
  return text.map((one) => ({ kind: 'number', text: one, column: noColumn }))
}

// && and || in turns, because one inside the same one is written without parentheses.
function joined(term: fc.Arbitrary<Expression>, depth: number): fc.Arbitrary<Expression> {
  const level = (kind: 'all' | 'any', left: number): fc.Arbitrary<Expression> => {
    if (left === 0) return term
    const inner = level(kind === 'all' ? 'any' : 'all', left - 1)
    const parts = fc.tuple(inner, inner, fc.array(inner, { maxLength: 2 }))
    const group = parts.map(([first, second, rest]) => flat(kind, [first, second, ...rest]))
    return fc.oneof({ depthSize: 'small', withCrossShrink: true }, inner, group)
  }
  return fc.oneof(level('all', depth), level('any', depth))
}

function flat(kind: 'all' | 'any', parts: readonly Expression[]): Expression {
  const [first, second, ...rest] = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  if (!first || !second) throw new Error('There are two parts at least')
  return { kind, parts: [first, second, ...rest] }
}

// Without the places where things stand in the text.
export function withoutColumns(expression: Expression): Expression {
  if (expression.kind === 'term')
    return { ...expression, column: noColumn, value: { ...expression.value, column: noColumn } }
  const [first, second, ...rest] = expression.parts.map(withoutColumns)
  if (!first || !second) throw new Error('There are two parts at least')
  return { kind: expression.kind, parts: [first, second, ...rest] }
}
