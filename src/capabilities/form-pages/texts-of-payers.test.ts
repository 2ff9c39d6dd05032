import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemWords } from '#capabilities/form-pages/problem-words.ts'
import type { Scene } from '#capabilities/form-pages/form-scene.page.ts'
import { renderForm } from '#capabilities/form-pages/render-form.page.ts'
import { noPictures } from '#capabilities/forms/picture-file.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { html } from '#kernel/html.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const visa = '4111 1111-1111 1111'
const allAsked = { eVisible: 'A1FF', eReadOnly: '0040' }
const nameAsked = { eVisible: 'A0E1', eReadOnly: '0040' }
const usual = { street: '1 Main Street', city: 'Springfield' }
const file = { href: '/file', integrity: '' }
const scene: Scene = {
  tongue: tongueFor('', 'en'),
  assets: { script: file, style: file, icons: html`` },
  address: '/form',
  addressOf: (page) => `/${page}`,
  pictures: noPictures,
  isSandbox: true,
  isEncrypted: true,
  takesAch: true,
  redirect: null,
  stays: false,
  message: '',
}

async function problemsOf(guest: Guest, typed: Readonly<Record<string, string>>) {
  const answer = await press(guest, { ...usual, ...typed })
  assert(answer.kind === 'problems', answer.kind)
  return answer.problems
}

const boxes: readonly (readonly [field: string, text: string, options: object])[] = [
  ['firstName', visa, allAsked],
  ['lastName', `Miller ${visa}`, allAsked],
  ['name', `Ada ${visa}`, nameAsked],
  ['street', visa, allAsked],
  ['city', visa, allAsked],
  ['email', '4111111111111111@example.com', allAsked],
  ['clientRef', visa, allAsked],
  ['guid', visa, allAsked],
]
for (const [field, text, options] of boxes) {
  test(`a card number that the payer types in ${field} is refused and not written back`, async () => {
    const guest = await openForm(await openTill(world()), {}, options)
    const problems = await problemsOf(guest, { [field]: text })
    assert.equal(problems.get(field), 'card_in_text')
    const typed = { sent: new Map([[field, text]]), problems, alert: null }
    const { page } = renderForm(await look(guest), scene, typed)
    assert.match(page.text, /Type your card number only in the box for card numbers/)
    assert.doesNotMatch(page.text, /1111/)
  })
}

test('invisible marks of direction are refused, and letters from right to left are not', async () => {
  const guest = await openForm(await openTill(world()), {}, allAsked)
  const problems = await problemsOf(guest, { lastName: 'Miller\u202e', city: 'a\u2066b' })
  assert.deepEqual([problems.get('lastName'), problems.get('city')], ['hidden_marks', 'hidden_marks'])
  const answer = await press(guest, { ...usual, firstName: 'محمد', lastName: 'כהן' })
  assert.equal(answer.kind, 'paid')
})

for (const [language, card, marks] of [
  ['en', /card number only in the box/, /hidden characters/],
  ['es', /tarjeta solo en la casilla/, /caracteres ocultos/],
  ['fr', /carte uniquement dans le champ/, /caractères cachés/],
] as const) {
  test(`both are explained in ${language}`, async () => {
    const guest = await openForm(await openTill(world()), {}, allAsked)
    const problems = await problemsOf(guest, { street: visa, city: 'a\u200fb' })
    const sentences = problemWords(await look(guest), tongueFor('', language), { problems, sent: new Map() })
    assert.match(sentences.get('street') ?? '', card)
    assert.match(sentences.get('city') ?? '', marks)
  })
}

async function withCardLikeReferences(): Promise<Till> {
  const till = await openTill(world())
  const { accountId: account } = till.account
  const changes = { cardLikeReferencesReason: 'Order numbers of the shop' }
  assert((await changeMerchant(till.needs, { account, merchant: merchantNumber(1), changes })).ok)
  return till
}

test('references may look like card numbers where the record says so, and names may not', async () => {
  const guest = await openForm(await withCardLikeReferences(), {}, allAsked)
  const problems = await problemsOf(guest, { clientRef: visa, lastName: visa })
  assert.deepEqual([...problems], [['lastName', 'card_in_text']])
  assert.equal((await press(guest, { ...usual, clientRef: visa })).kind, 'paid')
})
