import { codeTokensOf } from './lexer.ts'
import type { Token } from './lexer.ts'
import type { SourceFile } from './project.ts'

export type Brackets = {
  readonly tokens: readonly Token[]
  // For a bracket the index of its partner, for any other token -1.
  readonly partner: readonly number[]
  // The index of the innermost bracket that is open before the token, or -1.
  readonly parent: readonly number[]
}

const known = new WeakMap<SourceFile, Brackets>()

export function bracketsOf(file: SourceFile): Brackets {
  const brackets = known.get(file) ?? matchBrackets(codeTokensOf(file))
  known.set(file, brackets)
  return brackets
}

function matchBrackets(tokens: readonly Token[]): Brackets {
  const partner = tokens.map(() => -1)
  const parent: number[] = []
  const open: number[] = []
  for (const [at, { kind, text }] of tokens.entries()) {
    parent.push(open.at(-1) ?? -1)
    if (kind !== 'mark') continue
    if (text === '(' || text === '[' || text === '{') open.push(at)
    if (text !== ')' && text !== ']' && text !== '}') continue
    const start = open.pop()
    if (start === undefined) continue
    partner[start] = at
    partner[at] = start
  }
  return { tokens, partner, parent }
}
