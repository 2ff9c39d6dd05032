import { nameOf } from './project.ts'
import type { Breach, Project } from './project.ts'

const folders = ['src/', 'bin/', 'test/', 'tools/', 'bench/', 'simulator/', 'browser/', 'docs/']
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const namesOfTradition = new Set(['README.md'])
const bannedWords = new Set(
  'util utils helper helpers common misc manager info lib types index v2'.split(' '),
)

export function checkFileNames(project: Project): Breach[] {
  const paths = project.files.map(({ path }) => path)
  return paths.filter((path) => folders.some((folder) => path.startsWith(folder))).flatMap(checkPath)
}

function checkPath(path: string): Breach[] {
  const name = nameOf(path)
  if (namesOfTradition.has(name)) return []
  const say = (message: string) => [{ path, line: 1, rule: 'file names', message }]
  const odd = path
    .split('/')
    .flatMap((part) => part.split('.'))
    .find((part) => !kebabCase.test(part))
  if (odd !== undefined) return say(`'${odd}' is not kebab-case; rename it`)
  const [stem = ''] = name.split('.')
  const banned = stem === 'data' ? stem : stem.split('-').find((word) => isBanned(word, name))
  if (banned === undefined) return []
  return say(`'${banned}' says nothing about what is inside; name the file after what it does`)
}

// The wire has words of its own (CardInfo); a file that holds such a shape may carry its name.
function isBanned(word: string, name: string): boolean {
  const isWireWord = word === 'info' && (name.endsWith('.wire.ts') || name.endsWith('.contract.ts'))
  return bannedWords.has(word) && !isWireWord
}
