// Which file imports which, read from the tokens.

import { posix } from 'node:path'

import { codeTokensOf } from './lexer.ts'
import type { Token } from './lexer.ts'
import { isCode } from './project.ts'
import type { SourceFile } from './project.ts'

export type Import = {
  readonly specifier: string
  // The imported file from the project's root, or null for packages and node:*.
  readonly target: string | null
  readonly isTypeOnly: boolean
  readonly line: number
}

const known = new WeakMap<SourceFile, Import[]>()

export function importsOf(file: SourceFile): readonly Import[] {
  if (!isCode(file.path)) return []
  const imports = known.get(file) ?? findImports(file)
  known.set(file, imports)
  return imports
}

function findImports(file: SourceFile): Import[] {
  const tokens = codeTokensOf(file)
  return tokens.flatMap((token, at) => {
    const found = token.kind === 'word' ? foundAt(tokens, at) : null
    if (!found) return []
    const specifier = found.source.text.slice(1, -1)
    const target = resolve(file.path, specifier)
    return [{ specifier, target, isTypeOnly: found.isTypeOnly, line: token.line }]
  })
}

type Found = { readonly source: Token; readonly isTypeOnly: boolean }

function foundAt(tokens: readonly Token[], at: number): Found | null {
  const word = tokens[at]?.text
  if (word === 'getBuiltinModule') return callAt(tokens, at)
  if (tokens[at - 1]?.text === '.') return null
  if (word === 'import') return importAt(tokens, at)
  return word === 'export' ? exportAt(tokens, at) : null
}

function callAt(tokens: readonly Token[], at: number): Found | null {
  const source = tokens[at + 2]
  return tokens[at + 1]?.text === '(' && source?.kind === 'string' ? { source, isTypeOnly: false } : null
}

function importAt(tokens: readonly Token[], at: number): Found | null {
  const next = tokens[at + 1]
  if (next?.kind === 'string') return { source: next, isTypeOnly: false }
  if (next?.text === '(') return callAt(tokens, at)
  if (next?.text === '.' || next?.text === ':') return null
  return sourceAfter(tokens, at + 1)
}

function exportAt(tokens: readonly Token[], at: number): Found | null {
  const first = tokens[at + 1]?.text === 'type' ? at + 2 : at + 1
  const mark = tokens[first]?.text
  if (mark !== '*' && mark !== '{') return null
  return sourceAfter(tokens, at + 1)
}

// An import that marks each of its names as a type still loads the file, so only `import type` counts.
function sourceAfter(tokens: readonly Token[], first: number): Found | null {
  const isTypeOnly = tokens[first]?.text === 'type' && tokens[first + 2]?.kind !== 'string'
  for (let at = first; at < tokens.length; at++) {
    const token = tokens[at]
    const source = tokens[at + 1]
    if (token?.text === 'from' && source?.kind === 'string') return { source, isTypeOnly }
    if (token?.text === '}' && source?.text !== 'from') return null
    if (token?.kind === 'string' || token?.text === '=' || token?.text === '(') return null
  }
  return null
}

function resolve(path: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  return null
}
