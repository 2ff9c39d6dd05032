import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readIfPresent } from '#platform/read-if-present.ts'

// A small file that one process rewrites again and again. It is whole at any moment, and what was written is
// on disk when the writing ends.
export async function writeStateFile(path: string, state: object): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(state)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await flushFolder(dirname(path))
}

// null when there is none, or when it is no JSON object: only a person's editor can leave such a file.
export function readStateFile(path: string): Readonly<Record<string, unknown>> | null {
  const text = readIfPresent(path)
  if (text === null) return null
  try {
    const state: unknown = JSON.parse(text)
    return typeof state === 'object' && state !== null ? Object.fromEntries(Object.entries(state)) : null
  } catch {
    return null
  }
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
