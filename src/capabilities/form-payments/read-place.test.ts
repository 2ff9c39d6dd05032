import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf } from '#capabilities/form-payments/read-place.ts'
import { optionsOf } from '#capabilities/forms/form-options.ts'
import { countryCodes, countryFrom, countryNames } from '#kernel/country.ts'
import { fitsRule, postalRuleOf, postalRules } from '#kernel/postal-code.ts'
import { stateFrom } from '#kernel/states.ts'

const nothing = { country: '', state: '', zip: '' }

function read(sent: Readonly<Record<string, string>>, known = nothing, isBank = false) {
  const { fields } = optionsOf({ visible: 0x30, readOnly: 0, styles: 0, submission: 0 })
  const problems = new Map<string, string>()
  const place = placeOf(known, fields, { problems, isBank, textOf: (name) => sent[name] ?? null })
  return { ...place, problems: Object.fromEntries(problems) }
}

for (const [country, good, bad, problem] of [
  ['US', ['62701', '62701-1234', '627011234'], ['6270', '62701-12', 'K1A 0B1'], 'zip_form'],
  ['PR', ['00901'], ['0090'], 'zip_form'],
  ['CA', ['K1A 0B1', 'k1a0b1', 'K1A-0B1'], ['12345', 'D1A 0B1', 'K1A 0B'], 'zip_like'],
  ['GB', ['SW1A 1AA', 'm1 1ae', 'EC1A1BB', 'B33 8TH'], ['12345', 'SW1A'], 'zip_like'],
  ['DE', ['10115'], ['1011', '10115-1', 'D-10115'], 'zip_like'],
  ['FR', ['75001'], ['7500', 'F75001'], 'zip_like'],
  ['ES', ['28013'], ['2801', 'ES-28013'], 'zip_like'],
  ['AU', ['2000'], ['200', '20000'], 'zip_like'],
  ['NL', ['1012 JS', '1012js'], ['1012'], 'zip_like'],
  ['VA', ['00120', 'ABC-12'], ['12', 'a--b', '12345678901'], 'zip_any_form'],
] as const) {
  test(`postal codes of ${country} are judged by its own rule`, () => {
    for (const zip of good) assert.deepEqual(read({ country, zip }).problems, {}, zip)
    for (const zip of bad) assert.deepEqual(read({ country, zip }).problems, { zip: problem }, zip)
    assert.deepEqual(read({ country, zip: '' }).problems, { zip: 'zip_missing' })
  })
}

test('a country without postal codes asks for none, and keeps none', () => {
  assert.deepEqual(read({ country: 'HK', zip: '' }), { ...nothing, country: 'HK', problems: {} })
  assert.equal(read({ country: 'AE', zip: '12345' }).zip, '')
})

test('a bank account needs no postal code', () => {
  assert.deepEqual(read({ country: 'US', zip: '' }, nothing, true).problems, {})
})

test('a page without the choice of a country takes what the merchant has said, or any code', () => {
  assert.deepEqual(read({ zip: '62701' }, { ...nothing, country: 'USA' }).country, 'USA')
  assert.deepEqual(read({ zip: 'K1A 0B1' }, { ...nothing, country: 'USA' }).problems, { zip: 'zip_form' })
  assert.deepEqual(read({ zip: 'K1A 0B1' }).problems, {})
})

test('a country that was left as it was keeps the spelling of the merchant', () => {
  const known = { ...nothing, country: 'United States' }
  assert.equal(read({ country: 'US', zip: '62701' }, known).country, 'United States')
  assert.equal(read({ country: 'CA', zip: 'K1A 0B1' }, known).country, 'CA')
})

test('a country that is none is refused', () => {
  for (const country of ['XX', 'us', 'Atlantis'])
    assert.deepEqual(read({ country, zip: '62701' }).problems, { country: 'country_form' }, country)
})

test('a state is one of its country, by code or name, where the country has a list', () => {
  const zips = { US: '62701', CA: 'K1A 0B1', AU: '2000', DE: '10115' }
  for (const [country, state, found, problems] of [
    ['US', 'IL', 'IL', {}],
    ['US', 'illinois', 'IL', {}],
    ['US', '', '', {}],
    ['US', 'ON', '', { state: 'state_form' }],
    ['CA', 'Quebec', 'QC', {}],
    ['AU', 'NSW', 'NSW', {}],
    ['DE', 'IL', 'IL', {}],
  ] as const)
    assert.deepEqual(
      read({ country, state, zip: zips[country] }),
      { country, state: found, zip: zips[country], problems },
      `${country} ${state}`,
    )
  assert.equal(read({ country: 'DE', state: '', region: 'Berlin', zip: '10115' }).state, 'Berlin')
})

test('countries are known by code and by name, in the languages of payers', () => {
  for (const text of ['DE', 'de', 'Germany', 'Alemania', 'Allemagne', ' Deutschland ', 'DEU'])
    assert.equal(countryFrom(text), 'DE', text)
  for (const text of ['', 'Atlantis', 'constructor']) assert.equal(countryFrom(text), '', text)
  for (const language of ['en', 'es-MX', 'fr-CA']) {
    const names = countryNames(language)
    assert.equal(names.length, countryCodes.length)
    assert.equal(new Set(names.map(({ name }) => name)).size, countryCodes.length)
    assert(names.every(({ code, name }) => name !== '' && name !== code))
  }
})

test('each example of a postal code fits its rule, and each rule belongs to a country', () => {
  for (const [country, rule] of Object.entries(postalRules)) {
    assert(country === '' || countryCodes.includes(country), country)
    assert(rule.example === '' || fitsRule(rule, rule.example), country)
    assert.equal(postalRuleOf(country), rule)
  }
  assert.equal(stateFrom('US', 'constructor'), '')
})
