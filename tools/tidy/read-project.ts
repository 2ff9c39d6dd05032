import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'

import type { Project, SourceFile } from './project.ts'

const run = promisify(execFile)
const foldersNotOurs = new Set(['node_modules', 'data', '.cache', '.git'])

// Everything that is or could be committed. Without git (an unpacked archive) the tree itself is the list.
export async function readProject(root: string): Promise<Project> {
  const paths = (await pathsFromGit(root)) ?? (await pathsFromTree(root))
  const files = await Promise.all(paths.toSorted().map((path) => readText(root, path)))
  return { files: files.filter((file) => file !== null) }
}

async function pathsFromGit(root: string): Promise<string[] | null> {
  try {
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const { stdout } = await run('git', listed, { cwd: root, maxBuffer: 2 ** 26 })
    const paths = new Set(stdout.split('\0').filter((path) => path !== ''))
    return paths.size > 0 ? [...paths] : null
  } catch {
    return null
  }
}

async function pathsFromTree(root: string, folder = root): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return foldersNotOurs.has(entry.name) ? [] : pathsFromTree(root, path)
    return entry.isFile() ? [relative(root, path).split(sep).join('/')] : []
  })
  return (await Promise.all(nested)).flat()
}

// A listed file may be gone, a folder behind a link, or binary: none of these is text to check.
async function readText(root: string, path: string): Promise<SourceFile | null> {
  try {
    const bytes = await readFile(join(root, path))
    return bytes.subarray(0, 8192).includes(0) ? null : { path, text: bytes.toString('utf8') }
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && isAbsence(problem.code)) return null
    throw problem
  }
}

function isAbsence(code: unknown): boolean {
  return code === 'ENOENT' || code === 'EISDIR'
}
