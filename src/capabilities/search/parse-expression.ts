import { type Expression, operators, type Term } from '#capabilities/search/expression.ts'
import { type Characters, type Token, tokenize } from '#capabilities/search/tokenize.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export const lengthMax = 4_096
export const termsMax = 64
// How many parentheses may be open at once, that of a term included.
export const nestingMax = 16

export type SyntaxFault = 'query_unreadable' | 'query_too_complex'
type Read<T> = Result<T, SyntaxFault>
type Reader = { readonly tokens: readonly Token[]; next: number; terms: number }

// Reads (A=1)&&((B=2)||(C>='1/1/2027')). && binds tighter than ||.
export function parseExpression(source: Characters): Read<Expression> {
  if (source.length > lengthMax) return tooComplex(lengthMax, 'characters')
  const reader = { tokens: tokenize(source), next: 0, terms: 0 }
  const expression = readAny(reader, 1)
  if (!expression.ok) return expression
  return take(reader, 'end') ? expression : unexpected(reader, "'&&', '||' or the end")
}

function readAny(reader: Reader, depth: number): Read<Expression> {
  return readJoined(reader, { mark: '||', kind: 'any', read: () => readAll(reader, depth) })
}

function readAll(reader: Reader, depth: number): Read<Expression> {
  return readJoined(reader, { mark: '&&', kind: 'all', read: () => readOperand(reader, depth) })
}

type Joint = {
  readonly mark: '&&' | '||'
  readonly kind: 'all' | 'any'
  readonly read: () => Read<Expression>
}

function readJoined(reader: Reader, { mark, kind, read }: Joint): Read<Expression> {
  const parts: Expression[] = []
  do {
    const part = read()
    if (!part.ok) return part
    parts.push(part.value)
  } while (take(reader, mark))
  return ok(join(kind, parts))
}

// (x&&y)&&z says no more than x&&y&&z, and a single part needs no joint.
function join(kind: 'all' | 'any', parts: readonly Expression[]): Expression {
  const [first, second, ...rest] = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  if (!first) throw new Error('Broken promise: something was read')
  return second ? { kind, parts: [first, second, ...rest] } : first
}

function readOperand(reader: Reader, depth: number): Read<Expression> {
  if (!take(reader, '(')) return unexpected(reader, "'('")
  if (depth > nestingMax) return tooComplex(nestingMax, 'nested parentheses')
  const isNested = peek(reader).kind === '('
  const inside = isNested ? readAny(reader, depth + 1) : readTerm(reader)
  if (!inside.ok) return inside
  return take(reader, ')') ? inside : unexpected(reader, isNested ? "'&&', '||' or ')'" : endOfTerm)
}

// What does not end after its value was, most likely, a date or a text without quotes.
const endOfTerm = "')' (texts and dates stand in single quotes, and a quote in them is doubled)"

function readTerm(reader: Reader): Read<Term> {
  const letter = take(reader, 'letter')
  if (!letter) return unexpected(reader, "a letter or '('")
  const sign = take(reader, 'operator')
  const operator = operators.find((one) => one === sign?.text)
  if (!operator) return unexpected(reader, 'one of = <> < <= > >= LIKE')
  const value = take(reader, 'number') ?? take(reader, 'text')
  if (!value) return unexpected(reader, 'a number, or a text or date in single quotes')
  reader.terms += 1
  if (reader.terms > termsMax) return tooComplex(termsMax, 'terms')
  const { text, column } = value
  return ok({
    kind: 'term',
    letter: letter.text,
    operator,
    value: { kind: value.kind === 'text' ? 'text' : 'number', text, column },
    column: letter.column,
  })
}

function peek({ tokens, next }: Reader): Token {
  const token = tokens[next]
  if (!token) throw new Error('Broken promise: nothing is read after the end')
  return token
}

function take(reader: Reader, kind: Token['kind']): Token | null {
  const token = peek(reader)
  if (token.kind !== kind) return null
  if (kind !== 'end') reader.next += 1
  return token
}

function unexpected(reader: Reader, expected: string) {
  const token = peek(reader)
  return refuse('query_unreadable', { column: token.column, expected, found: foundWord(token) })
}

// A value is never repeated: it may be what should not stand in an answer.
function foundWord({ kind, text }: Token): string {
  if (kind === 'end') return 'the end'
  if (kind === 'number') return 'a number'
  if (kind === 'text') return 'a text'
  return kind === 'unclosed' ? 'a text without closing quote' : `'${text}'`
}

function tooComplex(limit: number, what: string) {
  return refuse('query_too_complex', { limit, what })
}
