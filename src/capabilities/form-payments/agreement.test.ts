import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOfWords, savingWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import { findConsents } from '#capabilities/consents/find-consent.operation.ts'
import type { Language } from '#capabilities/payer-words/language.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

const storedAgreement = statement(
  'stored_agreement',
  [text],
  { agreement: text },
  `
  select agreement from consent where consent_id::text = $1`,
)

async function formOf(changes: Partial<MerchantSettings>, order: object = {}, options: object = {}) {
  const till = await openTill(world())
  const merchant = merchantNumber(1)
  const changed = await changeMerchant(till.needs, { account: till.account.accountId, merchant, changes })
  assert(changed.ok)
  return openForm(till, order, { eSubmission: '0608', ...options })
}

async function wordsFor(guest: Guest, language: Language) {
  return savingWords(wordsOn(await look(guest), tongueFor('', language)))
}

const surcharge = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const
const setByMerchant = { limitPerChargeMinor: 50_000n, limitLifetimeMinor: 500_000n }

for (const [language, named, allowed] of [
  [
    'en',
    'Up to $500.00 a charge and $5,000.00 in all, until ',
    'at most $500.00 a charge and $5,000.00 in all, until ',
  ],
  [
    'es',
    'Hasta 500,00 US$ por cargo y 5000,00 US$ en total, hasta el ',
    'como máximo 500,00 US$ por cargo y 5000,00 US$ en total, ',
  ],
  [
    'fr',
    'Jusqu’à 500,00 $US par débit et 5 000,00 $US en tout, jusqu’au ',
    'au plus 500,00 $US par débit et 5 000,00 $US en tout, ',
  ],
] as const) {
  test(`the words for keeping a card name the limits that the merchant has set, in ${language}`, async () => {
    const { terms, full } = await wordsFor(await formOf(setByMerchant), language)
    assert(plain(terms).startsWith(named), terms)
    assert(plain(full).includes(allowed), full)
  })
}

for (const [language, named, allowed] of [
  [
    'en',
    '$125.00 now, later what you owe them, until ',
    'charge it with $125.00 now and later with what I owe them, until ',
  ],
  [
    'es',
    '125,00 US$ ahora y más adelante lo que le deba, hasta el ',
    'cobre con ella 125,00 US$ ahora y más adelante lo que le deba, ',
  ],
  [
    'fr',
    '125,00 $US maintenant, plus tard ce que vous lui devez, ',
    'débiter 125,00 $US maintenant et plus tard ce que je lui dois, ',
  ],
] as const) {
  test(`without such limits they name what is paid now, and promise none, in ${language}`, async () => {
    const { terms, full } = await wordsFor(await formOf({}), language)
    assert(plain(terms).startsWith(named), terms)
    assert(plain(full).includes(allowed), full)
    assert.doesNotMatch(terms + full, /100.?000|at most|máximo|au plus/)
  })
}

for (const [what, changes, order, options, named] of [
  ['one limit', { limitPerChargeMinor: 50_000n }, {}, {}, /^Up to \$500\.00 a charge, until/],
  ['the other', { limitLifetimeMinor: 90_000n }, {}, {}, /^Up to \$900\.00 in all, until/],
  ['a card fee', surcharge, {}, {}, /^\$125\.00 and any card fee now, later what you owe them, until/],
  ['an amount that the payer types', {}, {}, { eReadOnly: '0000' }, /^The amount above now, later what/],
  ['nothing to pay', {}, { Amounts: {} }, { eSubmission: '0408' }, /^For what you owe them, until/],
] as const) {
  test(`the words for keeping a card with ${what}`, async () => {
    assert.match((await wordsFor(await formOf(changes, order, options), 'en')).terms, named)
  })
}

for (const [what, changes] of [
  ['with limits', setByMerchant],
  ['without', {}],
] as const) {
  test(`what was shown is stored with the consent, whose limits are the record's, ${what}`, async () => {
    const guest = await formOf(changes)
    const view = await look(guest)
    const { full } = savingWords(wordsOn(view, tongueFor('en-US', '')))
    assert.deepEqual(await press(guest, { save: '1' }), { kind: 'paid' })
    const { form, merchant } = await look(guest)
    assert(form.consentId)
    const [stored] = await world().db.run(storedAgreement, [String(form.consentId)])
    assert.equal(stored?.agreement, full)
    const consent = (await findConsents(world(), form.accountId, [form.consentId])).get(form.consentId)
    assert.equal(consent?.limitPerCharge.minor, merchant.limitPerChargeMinor)
    assert.equal(consent?.limitLifetime.minor, merchant.limitLifetimeMinor)
  })
}

test('a limit that is set while the page stands open makes the page ask again', async () => {
  const guest = await formOf({})
  const words = nameOfWords(wordsOn(await look(guest), tongueFor('en-US', '')))
  const { accountId: account } = guest.till.account
  await changeMerchant(guest.till.needs, { account, merchant: merchantNumber(1), changes: setByMerchant })
  assert.equal((await press(guest, { save: '1', words })).kind, 'stale')
})

// Intl writes blanks that do not break.
function plain(sentence: string): string {
  return sentence.replace(/[\u00a0\u202f]/g, ' ')
}
