import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'

// The launcher answers for Node.js where some modules are, because it is quicker. A program must not notice.

const root = join(import.meta.dirname, '..', '..')

const program = {
  'package.json': '{"type":"module","imports":{"#*":"./src/*"}}',
  'src/apps/main.ts': `
    import '#apps/told.ts'
    import '../../simulator/bank.ts'
    import { parts } from 'parts'
    import { readFileSync } from 'node:fs'
    import described from '../../package.json' with { type: 'json' }
    const tried = []
    for (const name of ['#apps/later.ts', '#apps/link.ts', '#linked/told.ts', '#apps/gone.ts',
      '#apps/../apps/told.ts', '#apps', './gone.mjs']) {
      const refused = (error: Error & { code: string }) => error.code + error.message
      tried.push(await import(name).then(() => 'read', refused))
    }
    const told = [...globalThis.seen, ...parts, ...tried, typeof readFileSync, described.type]
    console.log(JSON.stringify(told))`,
  'src/apps/told.ts': `(globalThis.seen ??= []).push(import.meta.url as string)`,
  'src/apps/later.ts': `(globalThis.seen ??= []).push(import.meta.url as string)`,
  'simulator/bank.ts': `
    import '#apps/told.ts'
    import '../src/apps/told.ts'
    globalThis.seen.push(import.meta.url as string)`,
  'node_modules/parts/package.json':
    '{"type":"module","exports":"./build/index.mjs","imports":{"#place.ts":"./build/place.js"}}',
  'node_modules/parts/build/index.mjs': `
    import { createRequire } from 'node:module'
    import { size } from './type/size.mjs'
    import { linked } from './linked.mjs'
    import { place } from '#place.ts'
    export const parts = [import.meta.url, size, linked, place, createRequire(import.meta.url)('./old.cjs')]`,
  'node_modules/parts/build/type/size.mjs': `
    import { place } from '../place.js'
    export const size = import.meta.url + ' beside ' + place`,
  'node_modules/parts/build/type/target.mjs': 'export const linked = import.meta.url',
  'node_modules/parts/build/place.js': 'export const place = import.meta.url',
  'node_modules/parts/build/old.cjs': `module.exports = require('./older.cjs')`,
  'node_modules/parts/build/older.cjs': 'module.exports = __filename',
}

const links = {
  'src/apps/link.ts': 'told.ts',
  'src/linked': 'apps',
  'node_modules/parts/build/linked.mjs': 'type/target.mjs',
}

// The folder's name is one that addresses of files write in another way.
function makeProgram(t: TestContext): string {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'tillgate-test-')))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const folder = join(place, 'of 100% #1')
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  for (const [name, text] of Object.entries(program)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
  return folder
}

function run(file: string, preloaded?: string): string {
  const env = { ...process.env, ...(preloaded && { NODE_OPTIONS: `--require=${preloaded}` }) }
  return execFileSync(process.execPath, [file], { env, encoding: 'utf8' })
}

test('started by the command, a program is made of the modules that Node.js finds by itself', (t) => {
  const folder = makeProgram(t)
  const byCommand = run(join(folder, 'bin', 'tillgate.cjs'))
  assert.equal(byCommand, run(join(folder, 'src', 'apps', 'main.ts')))
  assert.match(byCommand, /^\["file:.*ERR_MODULE_NOT_FOUND.*"module"\]\n$/)
})

// A hook that is there before the launcher's is asked for what that passes on.
const listener = `
  const asked = []
  require('module').registerHooks({ resolve: (name, _, next) => (asked.push(name), next(name)) })
  process.on('exit', () => console.log(JSON.stringify(asked)))`

const passedOn = [
  './linked.mjs',
  '#place.ts',
  '#apps/link.ts',
  '#linked/told.ts',
  '#apps/gone.ts',
  '#apps/../apps/told.ts',
  '#apps',
  './gone.mjs',
]

test('Node.js is asked only for what is not simply where its name says', (t) => {
  const folder = makeProgram(t)
  const file = join(dirname(folder), 'listener.cjs')
  writeFileSync(file, listener)
  const [, lastLine = ''] = run(join(folder, 'bin', 'tillgate.cjs'), file).split('\n')
  const asked: unknown = JSON.parse(lastLine)
  assert(Array.isArray(asked))
  const names = asked.map(String).filter((name) => name.startsWith('#') || name.endsWith('.mjs'))
  assert.deepEqual(names, passedOn)
})
