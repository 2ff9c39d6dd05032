import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import { openForm, press } from '../../../test/support/form-world.ts'
import { messagesOf } from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function mailedTo(till: Till): Promise<readonly string[]> {
  await postForms(till.needs, null)
  return (await messagesOf(till)).map(({ recipient }) => recipient)
}

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
    assert.deepEqual(await mailedTo(till), email === null ? [] : [email])
  })
}

test('the receipt says that the card is kept, how long and how to end it, where it is', async () => {
  const till = await openTill(world())
  for (const save of [{ save: '1' }, {}]) {
    const guest = await openForm(till, {}, { eVisible: 'A063', eSubmission: '0608' })
    assert.deepEqual(await press(guest, { email: 'bea@example.com', ...save }), { kind: 'paid' })
  }
  await postForms(till.needs, null)
  const [kept, plain] = await messagesOf(till)
  assert.match(kept?.text ?? '', /This card is kept for Corner Books until \w+ \d+, \d+\. To end this/)
  assert.doesNotMatch(plain?.text ?? 'kept', /kept/)
})

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
  assert.deepEqual(await press(guest, { email: '' }), { kind: 'paid' })
  assert.deepEqual(await mailedTo(till), [])
})
