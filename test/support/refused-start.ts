import assert from 'node:assert/strict'
import type { CommandRun } from './gateway-process.ts'

// Refused in words, on stderr, without a stack. What was logged on the way there does not count.
export function assertRefused({ code, stdout, stderr }: CommandRun, message: RegExp): void {
  assert.match(stderr, message)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
  assert.deepEqual({ code, stdout: withoutLogLines(stdout) }, { code: 1, stdout: '' })
}

function withoutLogLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{"level":'))
    .join('\n')
}
