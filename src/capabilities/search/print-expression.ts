import type { Expression, Term, Value } from '#capabilities/search/expression.ts'

// The one way to write an expression: no blanks, no needless parentheses, LIKE in capitals.
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'term':
      return `(${printTerm(expression)})`
    case 'any':
      return expression.parts.map(printExpression).join('||')
    case 'all':
      return expression.parts.map(printInside).join('&&')
  }
}

export function printTerm({ letter, operator, value }: Term): string {
  return `${letter}${spaced(operator)}${printValue(value)}`
}

// && binds tighter than ||, so only the looser one needs parentheses inside the tighter.
function printInside(part: Expression): string {
  return part.kind === 'any' ? `(${printExpression(part)})` : printExpression(part)
}

function spaced(operator: string): string {
  return operator === 'LIKE' ? ' LIKE ' : operator
}

function printValue({ kind, text }: Value): string {
  return kind === 'number' ? text : `'${text.replaceAll("'", "''")}'`
}
