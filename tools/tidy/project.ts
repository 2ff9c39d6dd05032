// What every house rule looks at, and what it answers. Rules are pure: files in, breaches out.

export type SourceFile = { readonly path: string; readonly text: string }

export type Project = { readonly files: readonly SourceFile[] }

export type Breach = {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

export type Rule = (project: Project) => Breach[]

// From the top of the house to its foundation.
export const floors = ['apps', 'transport', 'capabilities', 'engine', 'platform', 'kernel'] as const

export type Floor = (typeof floors)[number]

export const listsFolder = 'src/capabilities'
export const wireFolder = 'src/capabilities/wire/'

export function floorOf(path: string): Floor | null {
  const [top, folder, rest] = path.split('/')
  if (top !== 'src' || rest === undefined) return null
  return floors.find((floor) => floor === folder) ?? null
}

// The room a file of src stands in: src/<floor>/<folder>, or the floor itself for a file without a folder.
export function roomOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 3).join('/')
}

export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/')
}

export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

export function isInSource(path: string): boolean {
  return path.startsWith('src/')
}

export function isCode(path: string): boolean {
  return path.endsWith('.ts') || path.endsWith('.cjs')
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

export function printBreaches(breaches: readonly Breach[]): string {
  return breaches.map(({ path, line, rule, message }) => `${path}:${line} [${rule}] ${message}`).join('\n')
}
