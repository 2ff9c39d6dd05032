import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptWishOf } from '#capabilities/forms/receipt-wish.operation.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

const cases: readonly [what: string, eVisible: string, typed: object, email: string | null][] = [
  [
    'who gives an address where there is nothing to tick',
    'A063',
    { email: 'bea@example.com' },
    'bea@example.com',
  ],
  ['who gives none', 'A063', { email: '' }, null],
  ['who does not tick it', 'E063', { email: 'bea@example.com' }, null],
  ['who ticks it', 'E063', { email: 'bea@example.com', mail: '1' }, 'bea@example.com'],
  ['who ticks it, and whose address the shop has sent', '4063', { mail: '1' }, 'ada@example.com'],
]
for (const [what, eVisible, typed, email] of cases) {
  test(`a payer ${what} gets ${email === null ? 'no mail' : `the receipt at ${email}`}`, async () => {
    const till = await openTill(world())
    const guest = await openForm(till, {}, { eVisible })
    assert.deepEqual(await press(guest, { ...typed }), { kind: 'paid' })
    const { attempt } = await look(guest)
    assert(attempt)
    assert.deepEqual(await receiptWishOf(till.needs, attempt), email && { email, language: 'en' })
  })
}

test('whoever ticks the receipt says where to', async () => {
  const guest = await openForm(await openTill(world()), {}, { eVisible: 'E063' })
  for (const email of ['', 'bea@example.com,cem@example.com', 'bea@example']) {
    const answer = await press(guest, { email, mail: '1' })
    assert(answer.kind === 'problems')
    assert.deepEqual([...answer.problems], [['email', 'email_form']])
  }
})

test('what was wished with a card that was declined does not count', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  await press(guest, { email: 'bea@example.com', number: '4000000000000002' })
  const { attempt: declined } = await look(guest)
  assert.deepEqual(await press(guest, { email: '' }), { kind: 'paid' })
  const { attempt: paid } = await look(guest)
  assert(declined && paid)
  assert.deepEqual(
    [await receiptWishOf(till.needs, declined), await receiptWishOf(till.needs, paid)],
    [null, null],
  )
})
