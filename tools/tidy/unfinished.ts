import { blank } from './lexer.ts'
import { isTest, lineAt } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

// Spelled in pieces, so that this file does not report itself.
const reminderWords = `(?:${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})`
const reminders = new RegExp(`\\b${reminderWords}\\b(?!\\W{0,2}#\\d)`, 'g')
// Prose may speak about the word itself.
const quotedReminders = new RegExp(`\`${reminderWords}\``, 'g')
const testsLeftOut = /\.(?:only|skip)\s*\(/g

// Nothing is left half done without an issue, and no test is left out.
export function checkUnfinished(project: Project): Breach[] {
  return project.files.flatMap((file) => [...checkReminders(file), ...checkTests(file)])
}

function checkReminders({ path, text }: SourceFile): Breach[] {
  const prose = path.endsWith('.md') ? text.replace(quotedReminders, (word) => ' '.repeat(word.length)) : text
  return Array.from(prose.matchAll(reminders), ({ 0: word, index }) =>
    breach(path, lineAt(prose, index), `'${word}' without an issue; write '${word} #12' or do it now`),
  )
}

function checkTests(file: SourceFile): Breach[] {
  if (!isTest(file.path)) return []
  const code = blank(file, ['comment', 'string', 'template', 'regex'])
  return Array.from(code.matchAll(testsLeftOut), ({ 0: found, index }) =>
    breach(file.path, lineAt(code, index), `'${found}' leaves tests out; run them all or delete the test`),
  )
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'unfinished', message }
}
