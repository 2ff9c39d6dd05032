import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Html } from '#kernel/html.ts'
import type { PackedFile } from '#transport/browser/send-packed.ts'

const folder = join(import.meta.dirname, '../../../browser')
export const assetsPath = '/PayForm/assets/'

export type PageFile = { readonly href: string; readonly integrity: string }

export type FormAssets = {
  readonly files: ReadonlyMap<string, PackedFile>
  readonly style: PageFile
  // Of the sandbox's workbench.
  readonly builderStyle: PageFile
  readonly script: PageFile
  // Of the page inside a bank's frame.
  readonly returnScript: PageFile
  // Of the sandbox's outbox.
  readonly outboxScript: PageFile
  // Drawings that stand in the page itself.
  readonly icons: Html
}

let loaded: FormAssets | null = null

// The form's script and style as they stand in browser/: types are blanked, what a script imports stands
// before it in one file, so that nothing waits for a second round trip, and names carry a digest of the
// content, so that they can be kept for ever. There is no build before the start.
export function formAssets(): FormAssets {
  loaded ??= load()
  return loaded
}

function load(): FormAssets {
  const files = new Map<string, PackedFile>()
  const keep = (stem: string, ending: 'js' | 'css', content: string): PageFile => {
    const plain = Buffer.from(content)
    const name = `${stem}.${createHash('sha256').update(plain).digest('hex').slice(0, 12)}.${ending}`
    const type = ending === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
    files.set(name, { type, plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) })
    const integrity = `sha384-${createHash('sha384').update(plain).digest('base64')}`
    return { href: `${assetsPath}${name}`, integrity }
  }
  const style = keep('pay-form', 'css', readFileSync(join(folder, 'pay-form.css'), 'utf8'))
  const builderStyle = keep('form-builder', 'css', readFileSync(join(folder, 'form-builder.css'), 'utf8'))
  const script = keep('pay-form', 'js', wholeScript('pay-form'))
  const returnScript = keep('bank-return', 'js', wholeScript('bank-return'))
  const outboxScript = keep('outbox', 'js', wholeScript('outbox'))
  const icons = new Html(readFileSync(join(folder, 'icons.svg'), 'utf8'))
  return { files, style, builderStyle, script, returnScript, outboxScript, icons }
}

// Modules share one scope then; that no two of them use a name is seen when a browser loads the file.
function wholeScript(stem: string): string {
  return withImported(stem)
    .map((one) =>
      tidied(stripTypeScriptTypes(sourceOf(one)))
        .replace(importing, '')
        .replace(exporting, ''),
    )
    .join('\n')
}

const importing = /^import\b[^']*'\.\/[\w-]+\.ts'\n/gm
const exporting = /^export (?=const|let|function|async)/gm

// Each after what it imports.
function withImported(stem: string, before: readonly string[] = []): readonly string[] {
  if (before.includes(stem)) return before
  const imported = [...sourceOf(stem).matchAll(/from '\.\/([\w-]+)\.ts'/g)].map(([, name = '']) => name)
  const all = imported.reduce((order, name) => withImported(name, order), before)
  return [...all, stem]
}

function sourceOf(stem: string): string {
  return readFileSync(join(folder, `${stem}.ts`), 'utf8')
}

// What types leave behind is blanks, and comments are for us.
function tidied(code: string): string {
  const lines = code.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('//')).join('\n')
}
