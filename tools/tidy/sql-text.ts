// Where SQL stands in a file, and which tables it writes.

import { bracketsOf } from './brackets.ts'
import type { Token } from './lexer.ts'
import type { SourceFile } from './project.ts'

type Call = { readonly line: number; readonly texts: readonly Token[] }

// The calls of `statement(...)` with the literals among their arguments.
export function statementCallsOf(file: SourceFile): Call[] {
  const { tokens, partner } = bracketsOf(file)
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || token.text !== 'statement') return []
    const before = tokens[at - 1]?.text
    if (before === 'function' || before === '.') return []
    const open = tokens[at + 1]?.text === '<' ? afterAngles(tokens, at + 1) : at + 1
    if (tokens[open]?.text !== '(') return []
    const inside = tokens.slice(open + 1, partner[open])
    return [
      { line: token.line, texts: inside.filter(({ kind }) => kind === 'string' || kind === 'template') },
    ]
  })
}

function afterAngles(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.text === '<') depth++
    if (tokens[at]?.text === '>' && --depth === 0) return at + 1
  }
  return open
}

export type Writing = { readonly table: string; readonly line: number }

export function writtenTablesOf(file: SourceFile): Writing[] {
  return statementCallsOf(file).flatMap(({ texts, line }) => {
    const sql = texts.map(({ text }) => text.replace(/^[`}'"]|(?:\$\{|[`'"])$/g, ' ')).join(' ? ')
    return writtenTables(sql).map((table) => ({ table, line }))
  })
}

// Neither `on conflict do update set` nor `for update` nor merge's `then update set` names a table.
export function writtenTables(sql: string): string[] {
  const words = wordsOf(sql)
  const tables = words.flatMap((word, at) => {
    const next = words[at + 1]
    if ((word === 'insert' || word === 'merge') && next === 'into') return [tableAt(words, at + 2)]
    if (word === 'delete' && next === 'from') return [tableAt(words, at + 2)]
    if (word === 'truncate') return truncatedTables(words, at + 1)
    if (word !== 'update' || next === 'set') return []
    return ['for', 'key', 'do', 'on'].includes(words[at - 1] ?? '') ? [] : [tableAt(words, at + 1)]
  })
  return [...new Set(tables.filter((table) => table !== null))]
}

function truncatedTables(words: readonly string[], from: number): (string | null)[] {
  const start = words[from] === 'table' ? from + 1 : from
  const tables = [tableAt(words, start)]
  for (let at = start; at < words.length; at++) {
    if (words[at] === ',') tables.push(tableAt(words, at + 1))
  }
  return tables
}

// Schema names are left out everywhere, so `bank.log` and `log` are one table.
function tableAt(words: readonly string[], at: number): string | null {
  const name = words[at] === 'only' ? words[at + 1] : words[at]
  if (name === undefined || !/^["\w]/.test(name)) return null
  return name.replaceAll('"', '').split('.').at(-1) ?? null
}

function wordsOf(sql: string): string[] {
  const bare = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').replace(/'(?:[^']|'')*'/g, " '' ")
  return bare.toLowerCase().match(/(?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))*|[^\s\w]/g) ?? []
}
