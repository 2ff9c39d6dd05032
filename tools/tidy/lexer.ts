// A small lexer for TypeScript, because TypeScript 7 has no JavaScript API. It knows what the rules need:
// where comments, strings, templates and regular expressions begin and end.

import type { SourceFile } from './project.ts'

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'regex' | 'comment' | 'mark'

export type Token = {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly line: number
  readonly lineEnd: number
}

type Bracket = '{' | '${'

const blankPattern = /\s+/y
const commentPattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|#![^\n]*/y
const stringPattern = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const numberPattern = /\.?\d(?:[\w.]|(?<=e)[+-])*/iy
const wordPattern = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const templatePattern = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y
const regexPattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const markPattern = /=>|\?\.|\.\.\.|[^]/uy

// After these words a slash opens a regular expression; after any other word it divides.
const wordsBeforeRegex = new Set(
  'return typeof case in of do else void delete throw new await yield instanceof'.split(' '),
)

export function lex(text: string): Token[] {
  const tokens: Token[] = []
  const open: Bracket[] = []
  let last: Token | undefined
  let line = 1
  for (let at = skipBlank(text, 0); at < text.length;) {
    const found = nextToken(text, at, open.at(-1), last)
    const lineStart = line + countLines(text, tokens.length === 0 ? 0 : endOf(tokens.at(-1)), at)
    line = lineStart + countLines(found.text, 0, found.text.length)
    const token = { ...found, start: at, line: lineStart, lineEnd: line }
    tokens.push(token)
    trackBrackets(open, token)
    if (token.kind !== 'comment') last = token
    at = skipBlank(text, at + token.text.length)
  }
  return tokens
}

function nextToken(
  text: string,
  at: number,
  open: Bracket | undefined,
  last: Token | undefined,
): Pick<Token, 'kind' | 'text'> {
  const first = text[at] ?? ''
  const pick = (kind: TokenKind, pattern: RegExp) => {
    const found = matchAt(pattern, text, at)
    return found === '' ? null : { kind, text: found }
  }
  const isTemplate = first === '`' || (first === '}' && open === '${')
  return (
    (first === '/' || (first === '#' && at === 0) ? pick('comment', commentPattern) : null) ??
    (isTemplate ? pick('template', templatePattern) : null) ??
    (first === "'" || first === '"' ? pick('string', stringPattern) : null) ??
    (first === '/' && opensRegex(last) ? pick('regex', regexPattern) : null) ??
    pick('number', numberPattern) ??
    pick('word', wordPattern) ??
    pick('mark', markPattern) ?? { kind: 'mark', text: first }
  )
}

function opensRegex(last: Token | undefined): boolean {
  if (last === undefined) return true
  if (last.kind === 'word') return wordsBeforeRegex.has(last.text)
  if (last.kind === 'mark') return ![')', ']', '}'].includes(last.text)
  return last.kind === 'template' && last.text.endsWith('${')
}

function trackBrackets(open: Bracket[], token: Token): void {
  if (token.kind === 'template') {
    if (token.text.startsWith('}')) open.pop()
    if (token.text.endsWith('${')) open.push('${')
  } else if (token.kind === 'mark') {
    if (token.text === '{') open.push('{')
    if (token.text === '}') open.pop()
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function skipBlank(text: string, at: number): number {
  return at + matchAt(blankPattern, text, at).length
}

function endOf(token: Token | undefined): number {
  return token === undefined ? 0 : token.start + token.text.length
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

const lexed = new WeakMap<SourceFile, Token[]>()

function tokensOf(file: SourceFile): readonly Token[] {
  const tokens = lexed.get(file) ?? lex(file.text)
  lexed.set(file, tokens)
  return tokens
}

const withoutComments = new WeakMap<SourceFile, Token[]>()

export function codeTokensOf(file: SourceFile): readonly Token[] {
  const tokens = withoutComments.get(file) ?? tokensOf(file).filter(({ kind }) => kind !== 'comment')
  withoutComments.set(file, tokens)
  return tokens
}

// The text with tokens of these kinds blanked out, so that offsets and lines stay what they were.
export function blank(file: SourceFile, kinds: readonly TokenKind[]): string {
  let text = ''
  for (const token of tokensOf(file)) {
    text += file.text.slice(text.length, token.start)
    text += kinds.includes(token.kind) ? token.text.replace(/[^\n]/g, ' ') : token.text
  }
  return text + file.text.slice(text.length)
}
