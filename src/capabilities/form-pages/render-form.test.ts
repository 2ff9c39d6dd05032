import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scene } from '#capabilities/form-pages/form-scene.page.ts'
import { noFormPage, type Rendered, renderForm } from '#capabilities/form-pages/render-form.page.ts'
import { noPictures } from '#capabilities/forms/picture-file.ts'
import type { Language } from '#capabilities/payer-words/language.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { html } from '#kernel/html.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { Secret } from '#kernel/secret.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()
const file = { href: '/file', integrity: '' }

function sceneIn(language: Language): Scene {
  return {
    tongue: tongueFor('', language),
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
}

async function seenBy(
  guest: Guest,
  language: Language = 'en',
  known: Partial<Scene> = {},
): Promise<Rendered> {
  return renderForm(await look(guest), { ...sceneIn(language), ...known })
}

async function paidForm(options: object, typed: Readonly<Record<string, string>> = {}): Promise<Guest> {
  const guest = await openForm(await openTill(world()), { REF_ID: 'inv-2041' }, options)
  assert.deepEqual(await press(guest, typed), { kind: 'paid' })
  return guest
}

const email = 'bea@example.com'
const shownFixed = { eVisible: 'A0E3', eReadOnly: '00C0' }

for (const [language, reference, mailed] of [
  ['en', 'Reference', `A receipt goes to ${email}.`],
  ['es', 'Referencia', `Enviamos el recibo a ${email}.`],
  ['fr', 'Référence', `Le reçu est envoyé à ${email}.`],
] as const) {
  test(`the page after payment tells the reference and where the receipt goes, in ${language}`, async () => {
    const { status, page } = await seenBy(await paidForm(shownFixed, { email }), language)
    assert.equal(status, 410)
    assert(page.text.includes(`<dt>${reference}</dt><dd>inv-2041</dd>`), page.text)
    assert(page.text.includes(mailed), page.text)
  })
}

// The account of the sandbox whose bank sends every debit back, days later.
const returningAccount = { method: 'bank', routing: '110000000', account: '1234567890123451' }

for (const [language, heading] of [
  ['en', /^Bank payment ordered: \$125\.00$/],
  ['es', /^Pago bancario ordenado: 125,00\sUS\$$/],
  ['fr', /^Prélèvement ordonné\s: 125,00\s\$US$/],
] as const) {
  test(`a debit that its bank may send back is called ordered and not paid, in ${language}`, async () => {
    const { page } = await seenBy(await paidForm({}, returningAccount), language)
    const [, title = ''] = /<h1[^>]*>([^<]*)</.exec(page.text) ?? []
    assert.match(title, heading)
    assert.match(page.text, /#i-clock/)
    assert.doesNotMatch(page.text, /#i-tick|Approval|Aprobación|Autorisation/)
  })
}

test('a payment by card is told as paid, with the code of its bank', async () => {
  const { page } = await seenBy(await paidForm({}))
  assert.match(page.text, /#i-tick[^]*Paid \$125\.00[^]*<dt>Approval<\/dt>/)
})

const payAndSave = { eSubmission: '0608' }

for (const [language, limited, plain] of [
  [
    'en',
    /This card is kept for Corner Books: up to \$500\.00 a charge, until \w+ \d+, \d+\. To end/,
    /This card is kept for Corner Books until \w+ \d+, \d+\. To end this/,
  ],
  [
    'es',
    /Esta tarjeta queda guardada para Corner Books: hasta 500,00\sUS\$ por cargo, hasta el \d/,
    /Esta tarjeta queda guardada para Corner Books hasta el \d/,
  ],
  [
    'fr',
    /Cette carte est gardée pour Corner Books : jusqu’à 500,00\s\$US par débit, jusqu’au \d/,
    /Cette carte est gardée pour Corner Books jusqu’au \d/,
  ],
] as const) {
  test(`who let a merchant keep a card reads so after payment, in ${language}`, async () => {
    const till = await openTill(world())
    const seen = async () => {
      const guest = await openForm(till, {}, payAndSave)
      assert.deepEqual(await press(guest, { save: '1' }), { kind: 'paid' })
      return (await seenBy(guest, language)).page.text
    }
    assert.match(await seen(), plain)
    const which = { account: till.account.accountId, merchant: merchantNumber(1) }
    await changeMerchant(till.needs, { ...which, changes: { limitPerChargeMinor: 50_000n } })
    assert.match(await seen(), limited)
  })
}

test('nobody reads that a card is kept who has not said so, or has ended it', async () => {
  const nothing = /card is kept/
  assert.doesNotMatch((await seenBy(await paidForm(payAndSave))).page.text, nothing)
  const guest = await paidForm(payAndSave, { save: '1' })
  const ConsentID = Number((await look(guest)).form.consentId)
  assert.equal((await call(guest.till, 'ConsentAnnual/Cancel', { ConsentID })).code, 0)
  assert.doesNotMatch((await seenBy(guest)).page.text, nothing)
})

test('a page says that it is encrypted only where it is', async () => {
  const guest = await openForm(await openTill(world()))
  const unseen = 'Staff never see your card number.'
  for (const [isEncrypted, promise] of [
    [true, `>Encrypted. ${unseen}<`],
    [false, `>${unseen}<`],
  ] as const) {
    const { page } = await seenBy(guest, 'en', { isEncrypted })
    assert(page.text.includes(promise), page.text)
  }
})

test('a reference that the payer typed is told, too', async () => {
  const guest = await paidForm({ eVisible: 'A0E3', eReadOnly: '0040' }, { clientRef: 'table 7' })
  assert.match((await seenBy(guest)).page.text, /<dd>table 7<\/dd>/)
})

test('a reference that the form hides stays hidden after payment', async () => {
  const guest = await paidForm({ eVisible: 'A063' })
  assert.doesNotMatch((await seenBy(guest)).page.text, /inv-2041/)
})

test('who wants no receipt by mail is promised none', async () => {
  const guest = await paidForm({ ...shownFixed, eVisible: 'E0E3' }, { email })
  assert.doesNotMatch((await seenBy(guest)).page.text, /receipt goes to/)
})

test('what somebody else has paid shows a check mark, and nothing of the payment', async () => {
  const stranger = { ...(await paidForm(shownFixed, { email })), browser: new Secret('browser-2') }
  const { status, page } = await seenBy(stranger)
  assert.equal(status, 410)
  assert.match(page.text, /#i-check"[^]*This has been paid already/)
  assert.doesNotMatch(page.text, /inv-2041|bea@|#i-clock/)
})

test('an address that leads nowhere shows a question mark, and a fault of ours an exclamation mark', () => {
  assert.match(noFormPage(sceneIn('en'), 'missing').text, /#i-question"[^]*There is no such page/)
  assert.match(noFormPage(sceneIn('en'), 'fault').text, /#i-attention"[^]*Something went wrong on our side/)
})

test('a form that is over names its problem to the page that embeds it, where it is asked to', async () => {
  const till = await openTill(world())
  const guests = [await openForm(till, {}, { eSubmission: '0220' }), await openForm(till)]
  till.needs.clock.advance({ hours: 1 })
  for (const [at, tells] of [true, false].entries()) {
    const guest = guests[at]
    assert(guest)
    const { page } = await seenBy(guest)
    const [, facts = '{}'] = /<script[^>]*id="facts"[^>]*>([^<]*)</.exec(page.text) ?? []
    const [, title] = /<h1[^>]*>([^<]*)</.exec(page.text) ?? []
    assert.partialDeepStrictEqual(JSON.parse(facts), { tells, problem: title })
  }
})
