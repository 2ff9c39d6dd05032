import { importsOf } from './imports.ts'
import { listsFolder } from './project.ts'
import type { Breach, Project } from './project.ts'

const listPath = `${listsFolder}/operations.ts`

// Every contract has its operation, its test, and exactly one line in the list of operations.
export function checkContracts({ files }: Project): Breach[] {
  const paths = new Set(files.map(({ path }) => path))
  const list = files.find(({ path }) => path === listPath)
  const listed = list ? importsOf(list).map(({ target }) => target) : []
  const contracts = [...paths].filter((path) => path.startsWith('src/') && path.endsWith('.contract.ts'))
  return contracts.flatMap((path) => {
    const lines = listed.filter((target) => target === path).length
    return [...missingBeside(path, paths), ...wrongPlace(path), ...wrongInList(lines)].map((message) => ({
      path,
      line: 1,
      rule: 'contracts',
      message,
    }))
  })
}

function missingBeside(path: string, paths: ReadonlySet<string>): string[] {
  const stem = path.slice(0, -'.contract.ts'.length)
  const tests = ['.test.ts', '.operation.test.ts', '.contract.test.ts'].map((suffix) => stem + suffix)
  return [
    ...(paths.has(`${stem}.operation.ts`) ? [] : [`has no operation; write ${stem}.operation.ts`]),
    ...(tests.some((test) => paths.has(test)) ? [] : [`has no test; write ${stem}.test.ts`]),
  ]
}

function wrongPlace(path: string): string[] {
  return path.startsWith(`${listsFolder}/`) ? [] : [`is outside ${listsFolder}; move it to its slice`]
}

function wrongInList(lines: number): string[] {
  if (lines === 1) return []
  return [`is imported ${lines} times by ${listPath}; give it exactly one line there`]
}
