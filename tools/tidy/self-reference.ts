import { lineAt, nameOf } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

type Pattern = { readonly pattern: RegExp; readonly message: string }

// The patterns are written so that this file does not match itself.
const patterns: readonly Pattern[] = [
  {
    pattern: /(?<![\w.-])\/(?:work|root)\/\w*/g,
    message: 'is a path of one machine; say it relative to the project',
  },
  {
    pattern: /\/\/registry\.\S+|\bregistry\.(?:[a-z0-9-]+\.)+(?:org|com|net|io|dev|internal|local)\b/g,
    message: 'is a package registry; the project installs from whatever registry its user has set',
  },
  {
    pattern: /\bnp[x]\b/g,
    message: 'may fetch a package of strangers; write node bin/tillgate.cjs',
  },
]

const patternsByFile: Readonly<Record<string, readonly Pattern[]>> = {
  'package-lock.json': [
    {
      pattern: /"resolved":/g,
      message: 'binds the lock file to one registry; npm install with our .npmrc omits it',
    },
  ],
  '.npmrc': [
    { pattern: /^\S*registry\s*=.*/gm, message: 'binds the project to one registry; remove the line' },
  ],
}

// No text of the project knows the machine it was written on, or runs a package of strangers.
export function checkSelfReference(project: Project): Breach[] {
  return project.files.flatMap((file) => {
    const all = [...patterns, ...(patternsByFile[nameOf(file.path)] ?? [])]
    const text = withoutPackageNames(file)
    return all.flatMap(({ pattern, message }) => find(file.path, text, pattern, message))
  })
}

// In the lock file a line that opens an object is the name of a package, chosen by others.
function withoutPackageNames({ path, text }: SourceFile): string {
  if (nameOf(path) !== 'package-lock.json') return text
  return text.replace(/^ *"[^"]*": \{$/gm, '')
}

function find(path: string, text: string, pattern: RegExp, message: string): Breach[] {
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
    path,
    line: lineAt(text, index),
    rule: 'self-reference',
    message: `'${found}' ${message}`,
  }))
}
