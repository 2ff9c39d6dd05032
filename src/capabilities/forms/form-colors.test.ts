import assert from 'node:assert/strict'
import { themeStyle } from '#capabilities/form-pages/form-theme.ts'
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

test('whatever colours a merchant wishes, every word can be read on its ground', () => {
  const shades = ['ffffff', '000000', '808080', 'b3261e', '3b0d11', 'ffd166', '777777', '00ff00']
  for (const page of shades)
    for (const box of shades) {
      const style = themeStyle({
        page,
        box,
        button: 'ffd166',
        buttonBorder: 'ffd166',
        label: 'b3261e',
        buttonText: 'ffffff',
        boxText: '777777',
      })
      const colorOf = (name: string) => new RegExp(`--${name}:#([0-9a-f]{6})`).exec(style)?.[1] ?? ''
      const pairs = [
        ['text', page],
        ['error', page],
        ['error', colorOf('error-ground')],
        ['warning', colorOf('warning-ground')],
        ['success', page],
        ['inside', box],
        ['field-text', box],
        ['accent-text', 'ffd166'],
      ] as const
      for (const [name, ground] of pairs)
        assert(contrastOf(colorOf(name), ground) >= 4.5, `${name} on ${ground}: ${style}`)
    }
})
