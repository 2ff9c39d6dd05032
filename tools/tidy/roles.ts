import { importsOf } from './imports.ts'
import type { Import } from './imports.ts'
import { floorOf, folderOf, isInSource, isTest, listsFolder, nameOf, roomOf, wireFolder } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

const roles = [
  'contract',
  'operation',
  'store',
  'follower',
  'task',
  'page',
  'connector',
  'wire',
  'test',
] as const

type Role = (typeof roles)[number] | 'pure'

type Kind =
  | Exclude<Role, 'pure' | 'test'>
  | 'platform'
  | 'platform beyond postgres'
  | 'node:*'
  | 'package with I/O'
  | 'fastify'
  | "another slice's working file"

const running = ['store', 'operation', 'follower', 'task', 'connector'] as const
const outside = ['platform', 'node:*', 'package with I/O', 'fastify'] as const

// What a role may not import by value. `import type` is erased, so it never makes a file impure.
const forbidden: Record<Role, readonly Kind[]> = {
  pure: [...running, ...outside],
  contract: [...running, ...outside, 'page'],
  operation: ['wire', 'contract', 'fastify'],
  store: [
    'operation',
    'follower',
    'task',
    'connector',
    'page',
    'contract',
    'wire',
    'platform beyond postgres',
    'fastify',
  ],
  follower: [
    'operation',
    'task',
    'connector',
    'page',
    'contract',
    'wire',
    'platform beyond postgres',
    'node:*',
  ],
  task: ['store', 'wire', 'contract', 'page', 'fastify'],
  page: [...running, ...outside, 'contract'],
  connector: ["another slice's working file", 'wire', 'contract', 'page', 'fastify'],
  wire: [...running, ...outside, 'page', 'contract'],
  test: [],
}

const waysOut: Partial<Record<Role, string>> = {
  pure: 'a file without suffix is pure; pass the value in, use `import type`, or give it its role',
  contract: 'a contract is a shape and two pure mappings; do the work in its operation',
  operation: 'an operation speaks plain English; translate in its contract',
  store: 'a store is SQL and row mapping; decide in the operation that calls it',
  follower: 'a follower changes its own rows; use its own store and pure rules, and appendEvents',
  task: 'a task says when an operation runs; move the work into an operation',
  page: 'a page is data in, HTML out; load in an operation and pass it in',
  connector: 'a connector talks to one outside system; pass in what it needs',
  wire: 'wire words are pure; do the work in an operation',
}

// Operations that write, in the transaction that they are given, what others are told of a change. A follower
// changes things within one, and may have it told there.
const tellers: ReadonlySet<string> = new Set([
  'src/engine/events/append-events.operation.ts',
  'src/capabilities/messages/messages-of-links.operation.ts',
])

const packagesWithEffects = new Set(['pg', 'pino', 'prom-client', 'soap', 'autocannon', 'playwright-core'])

export function checkRoles(project: Project): Breach[] {
  const files = project.files.filter(({ path }) => isInSource(path) && isModule(path))
  return files.flatMap((file) => [
    ...checkSuffix(file),
    ...importsOf(file).flatMap((one) => check(file, one)),
  ])
}

// A .d.ts says what a foreign package exports. Nothing of it is left when the code runs.
function isModule(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.d.ts')
}

function checkSuffix({ path }: SourceFile): Breach[] {
  const suffixes = nameOf(path).split('.').slice(1, -1)
  const isKnown = suffixes.every((suffix) => roles.some((role) => role === suffix))
  const isShort = suffixes.length < 2 || (suffixes.length === 2 && suffixes[1] === 'test')
  if (isKnown && isShort) return []
  return [breach(path, 1, `'.${suffixes.join('.')}' is no role; use one of .${roles.join(' .')} or none`)]
}

function check(file: SourceFile, item: Import): Breach[] {
  const { path } = file
  if (item.isTypeOnly || isTest(path)) return []
  const say = (reason: string) => [breach(path, item.line, `imports '${item.specifier}': ${reason}`)]
  const { target } = item
  if (target?.endsWith('.store.ts') && roomOf(target) !== roomOf(path))
    return say(`a store is private to ${roomOf(target)}; call an operation there, or pass a function in`)
  if (floorOf(path) === 'kernel' && item.specifier.startsWith('node:'))
    return say('the kernel is pure; move what needs node:* to platform')
  const role = roleOf(path)
  if (role === 'pure' && !mustBePure(path)) return []
  if (role === 'follower' && target && tellers.has(target)) return []
  const wrong = kindsOf(path, item).find((kind) => forbidden[role].includes(kind))
  return wrong ? say(`not allowed here (${wrong}): ${waysOut[role] ?? ''}`) : []
}

function roleOf(path: string): Role {
  const suffix = nameOf(path).split('.').slice(1, -1).at(-1)
  return roles.find((role) => role === suffix) ?? 'pure'
}

// The lists directly in capabilities are wiring, as are apps, transport and platform.
function mustBePure(path: string): boolean {
  const floor = floorOf(path)
  return floor === 'engine' || (floor === 'capabilities' && folderOf(path) !== listsFolder)
}

function kindsOf(path: string, { specifier, target }: Import): Kind[] {
  if (target === null) return kindsOfPackage(specifier)
  const role = roleOf(target)
  const kinds: Kind[] = role === 'pure' || role === 'test' ? [] : [role]
  if (target.startsWith(wireFolder)) kinds.push('wire')
  if (floorOf(target) === 'platform') kinds.push('platform')
  if (isPlatformBeyondPostgres(path, target)) kinds.push('platform beyond postgres')
  if (kinds.length > 0 && !isBelow(target) && roomOf(target) !== roomOf(path))
    kinds.push("another slice's working file")
  return kinds
}

function kindsOfPackage(specifier: string): Kind[] {
  if (specifier.startsWith('node:')) return ['node:*']
  if (specifier === 'fastify' || specifier.startsWith('@fastify/')) return ['fastify']
  return packagesWithEffects.has(specifier) ? ['package with I/O'] : []
}

function isPlatformBeyondPostgres(path: string, target: string): boolean {
  if (floorOf(target) !== 'platform' || roomOf(target) === roomOf(path)) return false
  return roomOf(target) !== 'src/platform/postgres'
}

function isBelow(target: string): boolean {
  const floor = floorOf(target)
  return floor === 'platform' || floor === 'kernel' || floor === null
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'roles', message }
}
