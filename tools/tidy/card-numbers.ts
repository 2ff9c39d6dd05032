import { passesLuhn } from '#kernel/luhn.ts'

import { lineAt, nameOf } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

// The numbers our simulator publishes. Any other number that could be a card may be somebody's card.
const published = new Set(
  `4111111111111111 4242424242424242 5555555555554444 2223003122003222 378282246310005 6011111111111117
  3530111333300000 30569309025904
  4000056655665556 5200828282828210 5105105105105100
  4000000000000002 4000000000009995 4000000000009987 4000000000009979 4000000000000069 4000000000000127
  4000000000000119 4000000000000341
  4000000000000010 4000000000000028 4000000000000036 4000000000000044 4000000000000101
  4000000000003220 4000008400001629 4000008400001280 4000000000003055 4000000000001018 4000000000001034
  4000000000009235 4000000000009243 4000000000009250 4000000000009268
  5454545454545454 5424000000000015 5431111111111111
  1234567890123450 1234567890123451 1234567890123452 1234567890123453 1234567890123454
  1234567890123455 1234567890123456 1234567890123457 1234567890123458 1234567890123459`.split(/\s+/),
)

const digitRuns = /(?<![\d.])[1-9]\d{12,18}(?!\d)|(?<![\d.])[1-9]\d{3}(?:[ -]\d{4}){3}(?![\d])/g

export function checkCardNumbers(project: Project): Breach[] {
  return project.files.filter(({ path }) => nameOf(path) !== 'package-lock.json').flatMap(checkFile)
}

function checkFile({ path, text }: SourceFile): Breach[] {
  const found = Array.from(text.matchAll(digitRuns))
  return found
    .filter(({ 0: run, index }) => couldBeCard(run.replace(/\D/g, '')) && !isInDigest(text, index))
    .map(({ 0: run, index }) => ({
      path,
      line: lineAt(text, index),
      rule: 'card numbers',
      message: `'${run.slice(0, 6)}...' could be a real card; use a published test number`,
    }))
}

function couldBeCard(digits: string): boolean {
  return !published.has(digits) && passesLuhn(digits)
}

// A long run of hexadecimal digits is a hash or a key, not a card.
function isInDigest(text: string, index: number): boolean {
  const before = /[0-9a-f]*$/i.exec(text.slice(Math.max(0, index - 64), index))?.[0] ?? ''
  const after = /^[0-9a-f]*/i.exec(text.slice(index, index + 64))?.[0] ?? ''
  return before.length + after.length >= 32
}
