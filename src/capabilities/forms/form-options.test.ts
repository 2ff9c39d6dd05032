import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { explainMask, maskMeanings } from '#capabilities/forms/explain-options.wire.ts'
import { type FormOptions, judgeFeatures, optionsOf, parseMask } from '#capabilities/forms/form-options.ts'

const nothing = { visible: 0, readOnly: 0, styles: 0, submission: 0 }

const masks: readonly [text: string, mask: number | null][] = [
  ['0', 0],
  ['3F', 0x3f],
  ['ffff', 0xffff],
  ['00020', null],
  ['', null],
  ['0x1F', null],
  ['12G4', null],
  ['-1', null],
]
for (const [text, mask] of masks) {
  test(`the digits ${JSON.stringify(text)} are ${mask ?? 'refused'}`, () => {
    assert.equal(parseMask(text), mask)
  })
}

type Field = keyof FormOptions['fields']
const fieldBits: readonly [number, Field][] = [
  [0, 'firstName'],
  [1, 'lastName'],
  [2, 'street'],
  [3, 'city'],
  [4, 'state'],
  [5, 'zip'],
  [6, 'amount'],
  [7, 'clientRef'],
  [8, 'guid'],
  [13, 'email'],
]
for (const [bit, field] of fieldBits) {
  test(`bit ${bit} shows ${field}, and fixes it when it is read-only too`, () => {
    assert.equal(optionsOf(nothing).fields[field], 'hidden')
    assert.equal(optionsOf({ ...nothing, visible: 1 << bit }).fields[field], 'asked')
    assert.equal(optionsOf({ ...nothing, visible: 1 << bit, readOnly: 1 << bit }).fields[field], 'fixed')
    assert.equal(optionsOf({ ...nothing, readOnly: 1 << bit }).fields[field], 'hidden')
  })
}

test('one of the two names alone asks for the full name', () => {
  assert.deepEqual(
    [0b00, 0b01, 0b10, 0b11].map((visible) => optionsOf({ ...nothing, visible }).hasFullName),
    [false, true, true, false],
  )
})

const looks: readonly [mask: number, Partial<FormOptions['look']>][] = [
  [0, { labels: 'above', corners: 'soft', font: 'plain', boxes: 'usual', buttons: 'both' }],
  [0b1, { labels: 'left' }],
  [0b110, { labels: 'above' }],
  [0b100, { labels: 'inside' }],
  [1 << 4, { corners: 'round' }],
  [(1 << 3) | (1 << 4), { corners: 'soft' }],
  [1 << 6, { corners: 'subtle' }],
  [1 << 5, { font: 'serif' }],
  [1 << 8, { font: 'grotesque' }],
  [1 << 7, { marksRequired: true }],
  [(1 << 9) | (1 << 10), { buttons: 'none' }],
  [1 << 10, { buttons: 'pay_only' }],
  [1 << 11, { boxes: 'tall' }],
  [1 << 12, { boxes: 'short' }],
]
for (const [styles, look] of looks) {
  test(`styles ${styles.toString(16)} look like ${JSON.stringify(look)}`, () => {
    const { look: decoded } = optionsOf({ ...nothing, styles })
    assert.deepEqual({ ...decoded, ...look }, decoded)
  })
}

const submissions: readonly [mask: number, Partial<FormOptions>][] = [
  [0, { pays: true, saving: 'none', ending: 'message', avsNeeded: 'none', cvvNeeded: false }],
  [1, { redirects: true, ending: 'message' }],
  [0b11, { redirects: true, ending: 'both_receipts' }],
  [0b110, { ending: 'both_receipts' }],
  [0b100, { ending: 'customer_receipt' }],
  [1 << 4, { postsSilently: true }],
  [1 << 5, { tellsParent: true }],
  [(1 << 6) | (1 << 7), { avsNeeded: 'full' }],
  [1 << 7, { avsNeeded: 'zip' }],
  [1 << 8, { cvvNeeded: true }],
  [1 << 9, { pays: true, saving: 'none' }],
  [1 << 10, { pays: false, saving: 'needed' }],
  [(1 << 9) | (1 << 10), { pays: true, saving: 'offered' }],
  [1 << 11, { postsJson: true }],
  [1 << 12, { idsOnly: true }],
]
for (const [submission, expected] of submissions) {
  test(`submission ${submission.toString(16)} means ${JSON.stringify(expected)}`, () => {
    const decoded = optionsOf({ ...nothing, submission })
    assert.deepEqual({ ...decoded, ...expected }, decoded)
  })
}

test('agreeing to save can be offered beside a payment', () => {
  assert.equal(optionsOf({ ...nothing, visible: 1 << 12 }).saving, 'offered')
})

test('features that do not exist are refused by name, other bits are ignored', () => {
  assert.equal(judgeFeatures(0x0020).ok, true)
  const refused = judgeFeatures(0b1101)
  assert(!refused.ok)
  assert.deepEqual(refused.refusal.details, { feature: 'wallets, authorization only' })
})

test('every mask can be explained bit by bit', () => {
  assert.deepEqual(explainMask('visible', 0x2041), [
    { bit: 0, means: 'first name' },
    { bit: 6, means: 'amount' },
    { bit: 13, means: 'e-mail' },
  ])
  assert.deepEqual(explainMask('features', 0x0020), [{ bit: 5, means: 'nothing (ignored)' }])
  assert.equal(Object.keys(maskMeanings.visible).length, 16)
})

test('the page for integrators explains the very same bits', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/hosted-form.md'), 'utf8')
  const told = [...page.matchAll(/^\| (\d+) +\| `([0-9A-F]{4})` +\| (.*?) *\|$/gm)]
  const known = Object.values(maskMeanings).flatMap((meanings) => Object.entries(meanings))
  assert.deepEqual(
    told.map(([, bit = '', hex = '', means = '']) => [bit, Number.parseInt(hex, 16), means]),
    known.map(([bit, means]) => [bit, 1 << Number(bit), means]),
  )
})
