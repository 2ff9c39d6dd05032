import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsCardNumber, maskCardNumbers } from '#kernel/card-in-text.ts'

const cards = [
  ['Visa', '4111111111111111', '[card 1111]'],
  ['Visa of 13 digits', `4${'2'.repeat(12)}`, '[card 2222]'],
  ['Visa of 19 digits', `4${'1'.repeat(17)}0`, '[card 1110]'],
  ['Mastercard', '5555555555554444', '[card 4444]'],
  ['Mastercard of the newer range', '2223003122003222', '[card 3222]'],
  ['American Express', '378282246310005', '[card 0005]'],
  ['Discover', '6011111111111117', '[card 1117]'],
  ['Diners Club', '30569309025904', '[card 5904]'],
  ['JCB', '3530111333300000', '[card 0000]'],
  ['UnionPay', `62${'0'.repeat(13)}5`, '[card 0005]'],
] as const
for (const [name, number, masked] of cards) {
  test(`a number of ${name} is found and masked to its last four digits`, () => {
    assert.equal(maskCardNumbers(number), masked)
  })
}

const held = [
  ['in blanks', '4111 1111 1111 1111', '[card 1111]'],
  ['in dashes', '3782-822463-10005', '[card 0005]'],
  ['in dashes with blanks', '4111 - 1111 - 1111 - 1111', '[card 1111]'],
  ['in long dashes', '4111–1111—1111−1111', '[card 1111]'],
  ['in blanks that do not break', '4111\u00a01111\u202f1111\u20091111', '[card 1111]'],
  ['with characters that have no width', '4111\u200b11111111\u2060\ufeff1111', '[card 1111]'],
  ['behind words', 'my card is 4111111111111111.', 'my card is [card 1111].'],
  ['before its expiry', '4111111111111111 12/30', '[card 1111] 12/30'],
  ['before its security code', '4111 1111 1111 1111 123', '[card 1111] 123'],
  ['behind another number', '7 4111-1111-1111-1111', '7 [card 1111]'],
  ['behind a word with digits', 'A12 4111111111111111', 'A12 [card 1111]'],
  ['before a word with digits', '4111111111111111 1st', '[card 1111] 1st'],
  ['in other marks', '_4111111111111111/', '_[card 1111]/'],
  ['twice', '4111111111111111 5555555555554444', '[card 1111] [card 4444]'],
] as const
for (const [where, text, masked] of held) {
  test(`a card number ${where} is found and masked`, () => {
    assert.ok(holdsCardNumber(text))
    assert.equal(maskCardNumbers(text), masked)
  })
}

const other = [
  ['a wrong check digit', '4111111111111112'],
  ['a prefix that no network has', '12345678'.repeat(2).replace(/8$/, '0')],
  ['a letter before it', 'x4111111111111111'],
  ['a letter behind it', '4111111111111111x'],
  ['a letter that takes two units before it', '𝐱4111111111111111'],
  ['a digit before it', '14111111111111111'],
  ['12 digits', '411111111117'],
  ['20 digits', '41111111111111111113'],
  ['a line break in it', '41111111\n11111111'],
  ['too many blanks in it', '41111111    11111111'],
  ['a GUID around it', '41111111-1111-1111-8111-111111111111'],
  ['dates and times', '2027-04-18 07:29:47.000 and 2027-04-18T07:29:47.000Z'],
] as const
for (const [what, text] of other) {
  test(`a number with ${what} is not a card number`, () => {
    assert.equal(holdsCardNumber(text), false)
    assert.equal(maskCardNumbers(text), text)
  })
}
