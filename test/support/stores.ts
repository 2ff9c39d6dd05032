import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../../src')

// Loads every store, so that all statements of the product are declared. Answers where the stores are.
export async function loadStores(): Promise<readonly string[]> {
  const names = (await readdir(source, { recursive: true })).filter((path) => path.endsWith('.store.ts'))
  const paths = names.map((name) => join(source, name))
  await Promise.all(paths.map((path) => import(path)))
  return paths
}
