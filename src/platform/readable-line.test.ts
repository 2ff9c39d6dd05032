import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineFor, openLog } from '#platform/log.ts'
import { readableLine } from '#platform/readable-line.ts'

function written(isTTY: boolean, log: (log: ReturnType<typeof openLog>) => void): string {
  let text = ''
  log(openLog('debug', (line) => (text += lineFor({ isTTY }, line))))
  return text
}

test('on a terminal a line of the log is a time, a sentence and its facts', () => {
  const text = written(true, (log) => log.info({ baseUrl: 'http://127.0.0.1:8080', count: 2 }, 'Ready'))
  assert.match(text, /^\d\d:\d\d:\d\dZ {2}Ready {2}baseUrl=http:\/\/127\.0\.0\.1:8080 count=2\n$/)
})

test('elsewhere it is an object in JSON', () => {
  const text = written(false, (log) => log.info({ count: 2 }, 'Ready'))
  const { level, count, msg } = JSON.parse(text)
  assert.deepEqual({ level, count, msg }, { level: 30, count: 2, msg: 'Ready' })
})

test('what is wrong is named so, with the stack of its error below', () => {
  const text = written(true, (log) => {
    log.warn({ problem: 'is full' }, 'The disk')
    log.error({ err: new Error('no room') }, 'Failed')
  })
  const [warning = '', error = '', ...stack] = text.trimEnd().split('\n')
  assert.match(warning, /Z {2}WARN {2}The disk {2}problem="is full"$/)
  assert.match(error, /Z {2}ERROR {2}Failed$/)
  assert.match(stack[0] ?? '', /^ {4}Error: no room$/)
  assert.match(stack[1] ?? '', /^ {8}at /)
})

test('secrets are masked there too, and a line that masking has broken is shown as it is', () => {
  const number = 4_111_111_111_111_111
  const text = written(true, (log) => {
    log.info({}, `card ${number}`)
    log.info({ number }, 'card')
  })
  assert.match(text, /Z {2}card \[card 1111\]\n\{"level":30,.*"number":\[card 1111\],"msg":"card"\}\n$/)
})

test('what a caller sent cannot move the cursor of the terminal', () => {
  const line = JSON.stringify({
    level: 30,
    time: '2027-01-15T10:00:00.123Z',
    path: '\u009b2J',
    msg: 'a\u001b[2Jb',
  })
  assert.equal(readableLine(line), '10:00:00Z  a [2Jb  path=" 2J"\n')
})
