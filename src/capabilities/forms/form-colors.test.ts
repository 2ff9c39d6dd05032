import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contrastOf,
  isVisibleOn,
  parseColors,
  printColors,
  readable,
  readColors,
} from '#capabilities/forms/form-colors.ts'

const read = (text: string) => parseColors(text, 'WidOptions.eColors')

test('seven colours are read, by hex or by name', () => {
  const colors = read('White,#0B6B4F,#abc,black, navy ,#212121,#FFFFFF')
  assert(colors.ok && colors.value)
  assert.deepEqual(colors.value, {
    page: 'ffffff',
    button: '0b6b4f',
    buttonBorder: 'aabbcc',
    label: '000000',
    buttonText: '000080',
    boxText: '212121',
    box: 'ffffff',
  })
  assert.deepEqual(readColors(printColors(colors.value)), colors.value)
})

for (const text of ['', '#ffffff,#428bca,#007bff,#212121,#ffffff,#212121,#ffffff']) {
  test(`${JSON.stringify(text)} means our own theme`, () => {
    assert.deepEqual(read(text), { ok: true, value: null })
  })
}

const injections = [
  'red;}body{display:none',
  'url(//evil.example)',
  'expression(alert(1))',
  'rgb(0,0,0)',
  'var(--accent)',
  'inherit',
  'currentcolor',
  'transparent',
  '#12',
  '#1234',
  '#gggggg',
  'red/**/',
  '</style><script>',
  '\\72 ed',
]
for (const wrong of injections) {
  test(`${wrong} is no colour and is refused by its place`, () => {
    const colors = read(`white,white,${wrong},white,white,white,white`)
    assert(!colors.ok)
    assert.match(String(colors.refusal.details['problem']), /^WidOptions\.eColors has /)
  })
}

test('too few and too many colours are refused', () => {
  for (const text of ['red', 'red,red,red,red,red,red', Array.from({ length: 33 }, () => 'red').join()]) {
    assert.equal(read(text).ok, false)
  }
})

test('text that could not be read becomes black or white, other text stays', () => {
  assert.equal(Math.round(contrastOf('000000', 'ffffff')), 21)
  assert.equal(readable('ffff00', 'ffffff'), '000000')
  assert.equal(readable('333333', '000080'), 'ffffff')
  assert.equal(readable('1b2430', 'ffffff'), '1b2430')
  assert.deepEqual([isVisibleOn('fefefe', 'ffffff'), isVisibleOn('0b6b4f', 'ffffff')], [false, true])
})
