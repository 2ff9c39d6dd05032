import { functionsOf } from './functions.ts'
import { isCode, isTest } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'
import { statementCallsOf } from './sql-text.ts'

const linesPerFile = 300
const linesPerFunction = 60
const columnsPerLine = 110
const folders = ['src/', 'bin/', 'test/', 'tools/', 'bench/', 'simulator/', 'browser/']

export function checkLengths(project: Project): Breach[] {
  const files = project.files.filter(
    ({ path }) => isCode(path) && folders.some((one) => path.startsWith(one)),
  )
  return files.flatMap((file) => [...checkFile(file), ...checkFunctions(file), ...checkLines(file)])
}

function checkFile(file: SourceFile): Breach[] {
  const lines = file.text.trimEnd().split('\n').length - sqlLines(file, 1, Infinity)
  if (lines <= linesPerFile) return []
  return [breach(file.path, 1, `has ${lines} lines, at most ${linesPerFile}; split it by what it is about`)]
}

function checkFunctions(file: SourceFile): Breach[] {
  return functionsOf(file).flatMap(({ name, line, lineEnd, isListOfTests }) => {
    const lines = lineEnd - line + 1 - sqlLines(file, line, lineEnd)
    if ((isListOfTests && isTest(file.path)) || lines <= linesPerFunction) return []
    const subject = name === '' ? 'a function' : `function '${name}'`
    const wayOut = 'move its pure parts into functions with names'
    return [breach(file.path, line, `${subject} has ${lines} lines, at most ${linesPerFunction}; ${wayOut}`)]
  })
}

function checkLines(file: SourceFile): Breach[] {
  return file.text.split('\n').flatMap((text, at) => {
    // The cheap measure first: a line has never more characters than code units.
    if (text.length <= columnsPerLine || Array.from(text).length <= columnsPerLine) return []
    if (isUnbreakable(text)) return []
    return [breach(file.path, at + 1, `is wider than ${columnsPerLine} columns; break it or say it shorter`)]
  })
}

// SQL reads best in its own shape, so its lines do not count: neither for the file nor for a function.
function sqlLines(file: SourceFile, from: number, to: number): number {
  const texts = statementCallsOf(file).flatMap((call) => call.texts)
  const inside = texts.filter(
    ({ kind, line, lineEnd }) => kind === 'template' && line >= from && lineEnd <= to,
  )
  return inside.reduce((sum, { line, lineEnd }) => sum + lineEnd - line, 0)
}

// One word, one string, or the import of one name: the formatter leaves these as they are.
function isUnbreakable(text: string): boolean {
  const line = text.trim().replace(/^(?:\/\/|\*)\s*/, '')
  const isOneWord = !/\s/.test(line)
  const isOneString = /^(?:'[^']*'|"[^"]*"|`[^`]*`)[,;)\]]*$/.test(line)
  const isOneImport = /^(?:import|export) (?:type )?\{ [\w$]+ \} from '[^']*'$/.test(line)
  return isOneWord || isOneString || isOneImport
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'lengths', message }
}
