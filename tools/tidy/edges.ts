import { importsOf } from './imports.ts'
import { codeTokensOf } from './lexer.ts'
import { folderOf, isTest, listsFolder } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

const declarationPath = `${listsFolder}/slices.ts`

type Declared = { readonly edges: ReadonlyMap<string, readonly string[]>; readonly line: number }

// Between capabilities only the edges declared in slices.ts exist, and each declared edge is used.
export function checkEdges(project: Project): Breach[] {
  const slices = new Set(project.files.map(({ path }) => sliceOf(path)).filter((slice) => slice !== null))
  if (slices.size === 0) return []
  const file = project.files.find(({ path }) => path === declarationPath)
  const declared = file ? readDeclaration(file) : { edges: new Map(), line: 1 }
  const used = new Set<string>()
  const breaches = project.files.flatMap((one) => checkFile(one, declared, used))
  return [...breaches, ...checkDeclaration(declared, slices, used)]
}

function checkFile(file: SourceFile, declared: Declared, used: Set<string>): Breach[] {
  const slice = sliceOf(file.path)
  if (isTest(file.path) || (slice === null && !isShared(file.path))) return []
  const from = slice ?? 'wire'
  return importsOf(file).flatMap(({ target, line }) => {
    if (target === null) return []
    const say = (message: string) => [breach(file.path, line, message)]
    if (folderOf(target) === listsFolder)
      return say(`imports the list '${target}'; lists know slices, never the other way round: pass it in`)
    const to = sliceOf(target)
    if (to === null || to === from) return []
    if (slice === null)
      return say(`wire is shared by all slices and imports none; move the rule out of '${to}'`)
    used.add(`${from} -> ${to}`)
    if (declared.edges.get(from)?.includes(to)) return []
    return say(
      `'${from}' imports '${to}' undeclared; move it to engine, or add '${to}' to ${from} in slices.ts`,
    )
  })
}

function checkDeclaration({ edges, line }: Declared, slices: Set<string>, used: Set<string>): Breach[] {
  const say = (message: string) => breach(declarationPath, line, message)
  const missing = [...slices].filter((slice) => !edges.has(slice))
  const empty = [...edges.keys()].filter((slice) => !slices.has(slice))
  const unused = [...edges].flatMap(([from, tos]) => tos.map((to) => `${from} -> ${to}`))
  return [
    ...missing.map((slice) => say(`slice '${slice}' is not declared; declare it: ${nameAsKey(slice)}: []`)),
    ...empty.map((slice) => say(`slice '${slice}' has no folder; remove it`)),
    ...unused.filter((edge) => !used.has(edge)).map((edge) => say(`edge ${edge} is not used; remove it`)),
  ]
}

// Reads `slices = { name: ['other'], ... }` from the text, so that a planted file can be checked as well.
function readDeclaration(file: SourceFile): Declared {
  const tokens = codeTokensOf(file)
  const start = tokens.findIndex(({ text }, at) => text === 'slices' && tokens[at - 1]?.text === 'const')
  const edges = new Map<string, string[]>()
  let current: string[] | null = null
  let depth = 0
  for (const [at, token] of tokens.entries()) {
    if (start === -1 || at < start) continue
    if (token.text === '{') depth++
    if (token.text === '}' && --depth === 0) break
    if (depth !== 1) continue
    if (tokens[at + 1]?.text === ':') edges.set(unquote(token.text), (current = []))
    else if (token.kind === 'string') current?.push(unquote(token.text))
  }
  return { edges, line: tokens[start]?.line ?? 1 }
}

function sliceOf(path: string): string | null {
  const [src, floor, slice, rest] = path.split('/')
  if (src !== 'src' || floor !== 'capabilities' || rest === undefined || slice === 'wire') return null
  return slice ?? null
}

function isShared(path: string): boolean {
  return path.startsWith(`${listsFolder}/wire/`)
}

function nameAsKey(slice: string): string {
  return slice.includes('-') ? `'${slice}'` : slice
}

function unquote(text: string): string {
  return text.replace(/^['"]|['"]$/g, '')
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'edges', message }
}
