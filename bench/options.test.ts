import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions } from './options.ts'

function told(...args: readonly string[]) {
  const read = readOptions(args)
  assert('status' in read)
  return read
}

test('--help tells all options and scenarios', () => {
  const { text, status } = told('--help')
  assert.equal(status, 0)
  for (const word of ['--quick', '--only a,b', 'authenticate', 'start-up', '--json path'])
    assert(text.includes(word), word)
})

for (const [args, problem] of [
  [['--slow'], 'There is no option --slow.'],
  [['--only'], '--only needs a value; one that begins with a dash is written --only=-1.'],
  [['--quick=yes'], '--quick takes no value.'],
  [['--only', 'lunch'], /^There is no scenario lunch: start-up, /],
  [['--rounds', 'many'], 'Connections, rounds and workers are whole numbers above 0.'],
  [['quick'], /^Unexpected argument 'quick'/],
] as const) {
  test(`${args.join(' ')} is refused in a line, and the next one says where to look`, () => {
    const { text, status } = told(...args)
    const [said, ...rest] = text.split('\n')
    assert.equal(status, 2)
    assert.deepEqual(rest, ['npm run bench -- --help lists the options.'])
    if (typeof problem === 'string') assert.equal(said, problem)
    else assert.match(said ?? '', problem)
  })
}
