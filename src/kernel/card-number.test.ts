import assert from 'node:assert/strict'
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { CardNumber } from '#kernel/card-number.ts'

const digits = '4111111111111111'

function parsed(text: string): CardNumber {
  const number = CardNumber.parse(text)
  assert(number)
  return number
}

function printed(...values: readonly unknown[]): string {
  let text = ''
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      done()
    },
  })
  const out = new Console(sink)
  for (const value of values) {
    out.log(value)
    out.dir(value, { depth: 9, showHidden: true })
    out.table([value])
    out.log('%s %o %O %j', value, value, value, value)
  }
  return text
}

const ways: readonly (readonly [string, (number: CardNumber) => unknown])[] = [
  ['a template', (number) => `${number}`],
  ['String()', (number) => String(number)],
  ['joining with a text', (number) => 'card ' + String(number)],
  ['a list made a text', (number) => [number, number].join()],
  ['JSON', (number) => JSON.stringify({ number, list: [number] })],
  ['inspect', (number) => inspect({ number }, { depth: 9, showHidden: true, getters: true })],
  ['inspect without its own wish', (number) => inspect(number, { customInspect: false, showHidden: true })],
  ['format', (number) => format('%s %d %i %f %j %o %O %c', ...Array.from({ length: 8 }, () => number))],
  ['the console', (number) => printed(number, { number }, [number])],
  ['structuredClone', (number) => JSON.stringify(structuredClone({ number }))],
  ['copying its members', (number) => JSON.stringify(Object.assign({}, number))],
  ['its own names', (number) => Reflect.ownKeys(number).map(String).join()],
  ['its values', (number) => String(Object.values(number))],
  ['a number', (number) => String(Number(number))],
  ['an error', (number) => inspect(new Error(`no ${number}`, { cause: { number } }), { depth: 9 })],
  ['a key of an object', (number) => JSON.stringify({ [String(number)]: 1 })],
]

for (const [way, show] of ways) {
  test(`a card number does not show itself through ${way}`, () => {
    const shown = String(show(parsed(digits)))
    assert.ok(!shown.replace(/\D/g, '').includes(digits), shown)
    assert.ok(!shown.includes(digits.slice(0, -4)), shown)
  })
}

test('a card number gives itself to the one who asks for it, and its ends to everybody', () => {
  const number = parsed('3782 822463 10005')
  assert.equal(number.reveal(), '378282246310005')
  const { firstSix, lastFour, length, brand } = number
  assert.deepEqual(
    { firstSix, lastFour, length, brand },
    {
      firstSix: '378282',
      lastFour: '0005',
      length: 15,
      brand: 'AE',
    },
  )
  assert.equal(String(number), '[card 0005]')
})

for (const [text, reason] of [
  ['', 'nothing'],
  ['4111111111111112', 'a wrong check digit'],
  ['41111111111', 'too few digits'],
  ['41111111111111111111', 'too many digits'],
  ['4111.1111.1111.1111', 'other marks between its digits'],
  ['4111111111111111;', 'something behind it'],
  ['٤١١١١١١١١١١١١١١١', 'digits of another script'],
] as const) {
  test(`${reason} makes no card number`, () => assert.equal(CardNumber.parse(text), null))
}

for (const text of ['4111 1111 1111 1111', '4111-1111-1111-1111', ' 4111111111111111 ']) {
  test(`'${text}' is read as people write it`, () => assert.equal(parsed(text).reveal(), digits))
}
