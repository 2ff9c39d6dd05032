import { blank } from './lexer.ts'
import { isTest, lineAt } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

const hooksForEveryTest = /^(?:beforeEach|afterEach)\s*\(/gm

// The quick tests share one process, so a hook that stands outside a describe runs around every test of
// every file.
export function checkTestHooks(project: Project): Breach[] {
  return project.files.filter(({ path }) => isTest(path)).flatMap(checkFile)
}

function checkFile(file: SourceFile): Breach[] {
  const code = blank(file, ['comment', 'string', 'template', 'regex'])
  return Array.from(code.matchAll(hooksForEveryTest), ({ index }) => ({
    path: file.path,
    line: lineAt(code, index),
    rule: 'test hooks',
    message: 'would run around the tests of all files; put it into a describe, or use t.after in the test',
  }))
}
