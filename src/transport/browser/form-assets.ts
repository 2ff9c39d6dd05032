import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { assert } from '#kernel/assert.ts'
import { Html } from '#kernel/html.ts'

const folder = join(import.meta.dirname, '../../../browser')
export const assetsPath = '/PayForm/assets/'

export type ServedFile = {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly brotli: Buffer
}

export type PageFile = { readonly href: string; readonly integrity: string }

export type FormAssets = {
  readonly files: ReadonlyMap<string, ServedFile>
  readonly style: PageFile
  // Of the sandbox's workbench.
  readonly builderStyle: PageFile
  readonly script: PageFile
  // Of the page inside a bank's frame.
  readonly returnScript: PageFile
  // What the script imports, so that browsers fetch all of it at once.
  readonly modules: readonly PageFile[]
  // Drawings that stand in the page itself.
  readonly icons: Html
}

let loaded: FormAssets | null = null

// The form's script and style as they stand in browser/: types are blanked, names carry a digest of the
// content, so that they can be kept for ever. There is no build before the start.
export function formAssets(): FormAssets {
  loaded ??= load()
  return loaded
}

function load(): FormAssets {
  const files = new Map<string, ServedFile>()
  const places = new Map<string, PageFile>()
  const keep = (stem: string, ending: 'js' | 'css', content: string): PageFile => {
    const plain = Buffer.from(content)
    const name = `${stem}.${createHash('sha256').update(plain).digest('hex').slice(0, 12)}.${ending}`
    const type = ending === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
    files.set(name, { type, plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) })
    const integrity = `sha384-${createHash('sha384').update(plain).digest('base64')}`
    return { href: `${assetsPath}${name}`, integrity }
  }
  for (const stem of inOrder()) {
    const code = stripTypeScriptTypes(readFileSync(join(folder, `${stem}.ts`), 'utf8'))
    places.set(stem, keep(stem, 'js', withNames(tidied(code), places)))
  }
  const style = keep('pay-form', 'css', readFileSync(join(folder, 'pay-form.css'), 'utf8'))
  const builderStyle = keep('form-builder', 'css', readFileSync(join(folder, 'form-builder.css'), 'utf8'))
  const script = places.get('pay-form')
  const returnScript = places.get('bank-return')
  assert(script && returnScript, 'the scripts that begin are among the files')
  places.delete('pay-form')
  places.delete('bank-return')
  const icons = new Html(readFileSync(join(folder, 'icons.svg'), 'utf8'))
  return { files, style, builderStyle, script, returnScript, modules: [...places.values()], icons }
}

// Each after what it imports, because its own name depends on their names.
function inOrder(): readonly string[] {
  const stems = readdirSync(folder).flatMap((name) => /^([\w-]+)\.ts$/.exec(name)?.[1] ?? [])
  const order: string[] = []
  const visit = (stem: string): void => {
    if (order.includes(stem)) return
    const code = readFileSync(join(folder, `${stem}.ts`), 'utf8')
    for (const [, imported = ''] of code.matchAll(/from '\.\/([\w-]+)\.ts'/g)) visit(imported)
    order.push(stem)
  }
  for (const stem of stems) visit(stem)
  return order
}

// What types leave behind is blanks, and comments are for us.
function tidied(code: string): string {
  const lines = code.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('//')).join('\n')
}

function withNames(code: string, places: ReadonlyMap<string, PageFile>): string {
  return code.replace(
    /from '\.\/([\w-]+)\.ts'/g,
    (_, stem: string) => `from '${places.get(stem)?.href ?? ''}'`,
  )
}
