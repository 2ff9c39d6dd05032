// Finds function bodies: declarations, expressions, methods, and arrow functions with a block.

import { bracketsOf } from './brackets.ts'
import type { Brackets } from './brackets.ts'
import type { SourceFile } from './project.ts'

export type FunctionSpan = {
  readonly name: string
  readonly line: number
  readonly lineEnd: number
  // The callback of `describe` or `suite`: a list of tests rather than a piece of work.
  readonly isListOfTests: boolean
}

const controlWords = new Set('if for while switch catch with await return typeof'.split(' '))
const wordsOfTypes = new Set('is asserts keyof typeof readonly infer unique new extends'.split(' '))
const wordsEndingSearch = new Set(
  'return const let var if else export import class interface type implements do try finally static'.split(
    ' ',
  ),
)
const marksEndingSearch = new Set([';', '=', '(', '{', '[', '?.'])
const marksBeforeObject = new Set([':', '|', '&', '?', '<', ',', '='])

export function functionsOf(file: SourceFile): FunctionSpan[] {
  const brackets = bracketsOf(file)
  const { tokens, partner } = brackets
  return tokens.flatMap((token, body) => {
    const end = tokens[partner[body] ?? -1]
    if (token.kind !== 'mark' || token.text !== '{' || !end) return []
    const head = headOf(brackets, body)
    if (head === null) return []
    return [
      {
        name: nameAt(brackets, head),
        line: tokens[head]?.line ?? token.line,
        lineEnd: end.line,
        isListOfTests: isListOfTests(brackets, head),
      },
    ]
  })
}

// The first token of the function whose body opens at this brace, or null when it is no function.
function headOf(brackets: Brackets, body: number): number | null {
  const { tokens, partner } = brackets
  const before = tokens[body - 1]
  if (before === undefined) return null
  if (before.text === '=>') return headOfArrow(brackets, body - 1)
  if (before.text === ')') return headOfNamed(brackets, partner[body - 1] ?? -1)
  const parameters = parametersBeforeType(brackets, body - 1)
  return parameters === null ? null : headOfNamed(brackets, parameters)
}

function headOfArrow(brackets: Brackets, arrow: number): number {
  const { tokens, partner } = brackets
  const before = tokens[arrow - 1]
  const simple = before?.text === ')' ? (partner[arrow - 1] ?? -1) : arrow - 1
  const start = parametersBeforeType(brackets, arrow - 1) ?? simple
  return tokens[start - 1]?.text === 'async' ? start - 1 : start
}

function headOfNamed({ tokens, parent }: Brackets, open: number): number | null {
  if (open < 1) return null
  const at = tokens[open - 1]?.text === '>' ? startOfAngles(tokens, open - 1) - 1 : open - 1
  const name = tokens[at]
  const before = tokens[at - 1]?.text ?? ''
  if (name === undefined || before === 'extends' || before === '.') return null
  if (name.text === ']') return parent[at] ?? null
  if (name.kind !== 'word' && name.kind !== 'string') return null
  if (controlWords.has(name.text)) return null
  return before === 'function' || before === 'async' ? at - 1 : at
}

// Walks back over a return type to the parameters before it: `(a): Type {` or `(a): Type => {`.
function parametersBeforeType({ tokens, partner }: Brackets, from: number): number | null {
  let angles = 0
  if (marksBeforeObject.has(tokens[from]?.text ?? '')) return null
  for (let at = from; at > 0 && from - at < 200; at--) {
    const token = tokens[at]
    const next = tokens[at + 1]
    if (token === undefined) return null
    if (token.kind === 'word' && wordsEndingSearch.has(token.text)) return null
    if (areTwoStatements(token, next)) return null
    if (token.kind !== 'mark') continue
    if (token.text === ')' && next?.text === ':' && angles === 0) return partner[at] ?? null
    if (token.text === '>') angles++
    if (token.text === '<') angles--
    if (token.text === ',' && angles === 0) return null
    if (marksEndingSearch.has(token.text)) return null
    if (token.text === ')' || token.text === ']' || token.text === '}') at = partner[at] ?? 0
  }
  return null
}

type Piece = Brackets['tokens'][number]

// Two names in a row, or a name after a closing brace, never stand inside one type.
function areTwoStatements(token: Piece, next: Piece | undefined): boolean {
  if (next?.kind !== 'word' || wordsOfTypes.has(next.text)) return false
  if (token.kind === 'word') return !wordsOfTypes.has(token.text)
  return token.kind === 'mark' && (token.text === '}' || token.text === ')')
}

function startOfAngles(tokens: Brackets['tokens'], end: number): number {
  let depth = 0
  for (let at = end; at > 0; at--) {
    if (tokens[at]?.text === '>') depth++
    if (tokens[at]?.text === '<' && --depth === 0) return at
  }
  return end
}

function isListOfTests({ tokens, parent }: Brackets, head: number): boolean {
  const open = parent[head] ?? -1
  const caller = tokens[open - 1]?.text
  return tokens[open]?.text === '(' && (caller === 'describe' || caller === 'suite')
}

function nameAt({ tokens }: Brackets, head: number): string {
  const first = tokens[head]?.text ?? ''
  const before = tokens[head - 1]?.text
  if (before === '=' || before === ':') return tokens[head - 2]?.text ?? ''
  if (first !== 'async' && first !== 'function') return /^\w/.test(first) ? first : ''
  const named = [tokens[head + 1]?.text, tokens[head + 2]?.text].find((text) => /^[\w$]+$/.test(text ?? ''))
  return named === 'function' ? '' : (named ?? '')
}
