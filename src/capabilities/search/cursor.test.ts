import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printCursor, readCursor } from '#capabilities/search/cursor.operation.ts'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import { momentOf, positionInTime } from '#capabilities/search/position.ts'
import { accountId } from '#kernel/ids.ts'

function ownerOf(text: string, { account = 1n, subject = 'transaction' } = {}) {
  const expression = parseExpression(text)
  assert(expression.ok)
  return { account: accountId(account), subject, expression: expression.value }
}

const own = ownerOf('(B=3)&&(E=1)')

test('a cursor reads back as the position it was made of', () => {
  const number = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(number, number, (first, second) => {
      const cursor = printCursor([first, second], own)
      assert.match(cursor, /^[\w-]{40}$/)
      assert.deepEqual(readCursor(cursor, own), [first, second])
    }),
  )
})

test('a moment keeps its microseconds', () => {
  const at = Temporal.Instant.from('2027-01-15T10:00:00.123456Z')
  assert.equal(momentOf(positionInTime(at, 7n)).toString(), at.toString())
})

const cursor = printCursor([5n, 7n], own)

test('blanks, small letters and needless parentheses make no other expression', () => {
  assert.deepEqual(readCursor(cursor, ownerOf('((b = 3) && (E=1))')), [5n, 7n])
})

const foreign = {
  'another account': ownerOf('(B=3)&&(E=1)', { account: 2n }),
  'another kind of records': ownerOf('(B=3)&&(E=1)', { subject: 'order' }),
  'another expression': ownerOf('(B=3)&&(E=2)'),
  'the same terms in another order': ownerOf('(E=1)&&(B=3)'),
}
for (const [what, owner] of Object.entries(foreign)) {
  test(`a cursor is not taken for ${what}`, () => assert.equal(readCursor(cursor, owner), null))
}

test('what is not a cursor, or was changed, is not taken', () => {
  const letters = cursor.split('')
  const changed = letters.map((letter, at) => letters.with(at, letter === 'A' ? 'B' : 'A').join(''))
  for (const text of [...changed, `${cursor}A`, cursor.slice(1), 'x', '0', `${cursor.slice(0, -1)}=`])
    assert.equal(readCursor(text, own), null, text)
})
