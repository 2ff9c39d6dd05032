import assert from 'node:assert/strict'
import { createDecipheriv, createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  encrypt,
  parentMessage,
  redirectAddress,
  resultMembers,
} from '#capabilities/forms/form-result.operation.ts'
import {
  addIntegratorKey,
  disableIntegratorKey,
  listIntegratorKeys,
  rotateSigningKey,
  signingKey,
} from '#capabilities/forms/integrator-keys.operation.ts'
import { Secret } from '#kernel/secret.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'
import { formPage, type ReadResult, writtenCode } from '../../../test/support/written-code.ts'

const world = useWorld()

async function paidOn(guest: Guest) {
  assert.deepEqual(await press(guest), { kind: 'paid' })
  const { form, attempt, order } = await look(guest)
  assert(attempt)
  return { form, attempt, order }
}

// Written from the page about forms alone, without any code of the gateway.
function decrypted({ m = '', i = '' }: Readonly<Record<string, string>>, key: string): readonly string[] {
  assert.equal(i.length, 24)
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key, 'hex'), Buffer.from(i, 'base64'))
  return Buffer.concat([decipher.update(m, 'base64'), decipher.final()])
    .toString('utf8')
    .split('|')
}

async function formWithKey(changes: object = {}, options: object = {}) {
  const till = await openTill(world())
  const key = await addIntegratorKey(till.needs, till.account.accountId, '300')
  assert(key)
  const guest = await openForm(till, { EINDEX: '300', ...changes }, options)
  return { till, guest, key: key.reveal() }
}

test('the published test vector comes out byte for byte', () => {
  const key = new Secret('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f')
  const vector = Buffer.from('Dw4NDAsKCQgHBgUEAwIBAA==', 'base64')
  const line = 'TXID|174|CONSENTID|213|CARDNO|5339|CARDTYPE|Amex|FIRSTNAME|Bob|LASTNAME|smith|REFID|7899'
  assert.deepEqual(encrypt(line, { key, vector }), {
    vector: 'Dw4NDAsKCQgHBgUEAwIBAA==',
    ciphertext:
      'iQd27YhY4jtSTiUJ4QZaxWrmP5Cx4aRjKmkRrSVB6fBYDu1BeRdytUBGBsIvW3gjSmO99oU5Hz8j6HzYWLs5y2i04t9M88m' +
      'C5k0PFB/i1eIhi5PBwzXPpGxdgSZjWWpY',
  })
})

test('with EINDEX vector and ciphertext travel apart, with names and values in their order', async () => {
  const { till, guest, key } = await formWithKey({}, { eSubmission: '0608' })
  assert.deepEqual(await press(guest, { number: '3782 8224 6310 005', code: '1234', save: '1' }), {
    kind: 'paid',
  })
  const { form, attempt, order } = await look(guest)
  assert(attempt)
  const paid = { form, attempt, order }
  const { m, i, ...rest } = await resultMembers(till.needs, paid)
  assert.deepEqual(rest, {})
  assert.deepEqual(await resultMembers(till.needs, paid), { m, i }, 'a repeat has the same bytes')
  const list = decrypted({ m, i } as Readonly<Record<string, string>>, key)
  const ids = ['TXID', String(attempt.attemptId), 'CONSENTID', String(form.consentId)]
  const card = ['CARDNO', '0005', 'CARDTYPE', 'Amex', 'FIRSTNAME', 'Ada', 'LASTNAME', 'Miller']
  const family = [...ids, ...card, 'REFID', 'invoice-1042']
  const money = ['EXPDATE', '12/30', 'FEE', '0.00', 'AMOUNT', '125.00']
  const ours = [...money, 'RPGUID', 'visit-7', 'EMAIL', 'ada@example.com', 'APPROVAL', attempt.approvalCode]
  assert.deepEqual(list, [...family, ...ours])
})

test('with the bit for ids only, the list ends after them', async () => {
  const { till, guest, key } = await formWithKey({}, { eSubmission: '1208' })
  const paid = await paidOn(guest)
  const expected = ['TXID', String(paid.attempt.attemptId), 'CONSENTID', '0']
  assert.deepEqual(decrypted(await resultMembers(till.needs, paid), key), expected)
})

test('a bar inside a value begins no other member', async () => {
  const { till, guest, key } = await formWithKey({ REF_ID: '7|TXID|1', RPGUID: '||CONSENTID|9|' })
  await press(guest, { lastName: 'Miller|REFID|paid' })
  const { form, attempt, order } = await look(guest)
  assert(attempt)
  const list = decrypted(await resultMembers(till.needs, { form, attempt, order }), key)
  assert.equal(list.length, 26)
  const names = list.filter((_, at) => at % 2 === 0)
  assert.deepEqual(new Set(names).size, 13)
  const values = list.filter((_, at) => at % 2 === 1)
  assert.deepEqual(values[names.indexOf('TXID')], String(attempt.attemptId))
  for (const value of ['7/TXID/1', '//CONSENTID/9/']) assert(values.includes(value), value)
})

test('two forms never share a vector', async () => {
  const { till, guest } = await formWithKey()
  const other = await openForm(till, { EINDEX: '300' })
  const [one, two] = [await paidOn(guest), await paidOn(other)]
  const vectors = [await resultMembers(till.needs, one), await resultMembers(till.needs, two)]
  assert.notEqual(vectors[0]?.['i'], vectors[1]?.['i'])
})

const saveOnly = { eSubmission: '0428' }
for (const [what, changes, options, expected] of [
  ['a payment', {}, { eSubmission: '0228' }, /^\?txid=[1-9]\d*&cid=0$/],
  ['a payment that saves', {}, { eSubmission: '0628' }, /^\?txid=[1-9]\d*&cid=[1-9]\d*$/],
  ['a card that is only saved', { Amounts: {} }, saveOnly, /^CID=[1-9]\d*$/],
] as const) {
  test(`the parent page gets the ids of ${what}`, async () => {
    const till = await openTill(world())
    const guest = await openForm(till, changes, options)
    assert.deepEqual(await press(guest, { save: '1' }), { kind: 'paid' })
    const { form, attempt, order } = await look(guest)
    assert(attempt)
    assert.match(await parentMessage(till.needs, { form, attempt, order }), expected)
  })
}

test('with EINDEX the parent page gets the vector and, right behind it, the ciphertext', async () => {
  const { till, guest, key } = await formWithKey()
  const paid = await paidOn(guest)
  const text = await parentMessage(till.needs, paid)
  const { m, i } = await resultMembers(till.needs, paid)
  assert.equal(text, `${i}${m}`)
  const list = decrypted({ i: text.slice(0, 24), m: text.slice(24) }, key)
  assert.deepEqual(list.slice(0, 2), ['TXID', String(paid.attempt.attemptId)])
})

test('keys are made once, listed, and refused when they are disabled', async () => {
  const till = await openTill(world())
  const { accountId } = till.account
  assert(await addIntegratorKey(till.needs, accountId, 'a'))
  assert.equal(await addIntegratorKey(till.needs, accountId, 'a'), null)
  assert(await disableIntegratorKey(till.needs, accountId, 'a'))
  const keys = await listIntegratorKeys(till.needs, accountId)
  assert.deepEqual(
    keys.map(({ index, isEnabled }) => [index, isEnabled]),
    [['a', false]],
  )
  await assert.rejects(openForm(till, { EINDEX: 'a' }), /EINDEX a is no key/)
})

test('a key that is disabled while a form is open still encrypts: nothing travels in the clear', async () => {
  const till = await openTill(world())
  const { accountId } = till.account
  await addIntegratorKey(till.needs, accountId, 'shop-1')
  const guest = await openForm(till, { EINDEX: 'shop-1' })
  await disableIntegratorKey(till.needs, accountId, 'shop-1')
  assert.deepEqual(Object.keys(await resultMembers(till.needs, await paidOn(guest))), ['m', 'i'])
})

test('the signature of a redirect is checked with the key of the account', async () => {
  const till = await openTill(world())
  const changes = { RedirectURL: 'https://shop.example/done?order=7' }
  const paid = await paidOn(await openForm(till, changes, { eSubmission: '0201' }))
  const { searchParams } = new URL((await redirectAddress(till.needs, paid)) ?? '')
  const key = Buffer.from((await signingKey(till.needs, till.account.accountId)).reveal(), 'hex')
  const text = `cid=0&txid=${paid.attempt.attemptId}`
  assert.equal(searchParams.get('sig'), createHmac('sha256', key).update(text).digest('hex'))
  const rotated = await rotateSigningKey(till.needs, till.account.accountId)
  const { searchParams: anew } = new URL((await redirectAddress(till.needs, paid)) ?? '')
  const signed = createHmac('sha256', Buffer.from(rotated.reveal(), 'hex')).update(text).digest('hex')
  assert.equal(anew.get('sig'), signed)
  assert.notEqual(signed, searchParams.get('sig'))
  assert.deepEqual(await listIntegratorKeys(till.needs, till.account.accountId), [])
})

type IsOurs = (address: string, key: string, names?: readonly string[]) => boolean

const written = (what: string) =>
  new RegExp(`^\\| ${what} +\\| \`(.*?)\` +\\|$`, 'm').exec(formPage)?.[1] ?? ''

test('the written example of a signature is right, and so is the written code that checks it', async () => {
  const isOurs = await writtenCode<IsOurs>('isOurs')
  const [key, address, signed] = [written('Key'), written('Address'), written('Signed')]
  const sig = createHmac('sha256', Buffer.from(key, 'hex')).update(signed).digest('hex')
  assert.equal(new URL(address).searchParams.get('sig'), sig)
  assert.equal(isOurs(address, key), true)
  assert.equal(isOurs(address.replace('order=7', 'order=8'), key), true, 'the own members are not signed')
  for (const [right, wrong] of [
    ['txid=98', 'txid=99'],
    ['cid=19', 'cid=20'],
    ['sig=ee', 'sig=ef'],
    ['&sig=', '&gis='],
  ] as const)
    assert.equal(isOurs(address.replace(right, wrong), key), false, wrong)
})

test('the written code takes our redirects, also to addresses with members called like ours', async () => {
  const isOurs = await writtenCode<IsOurs>('isOurs')
  const till = await openTill(world())
  const { accountId } = till.account
  const key = (await signingKey(till.needs, accountId)).reveal()
  await addIntegratorKey(till.needs, accountId, 'shop 1')
  const RedirectURL = 'https://shop.example/done?order=7&txid=1&sig=2'
  for (const [changes, names] of [
    [{ RedirectURL }, ['cid', 'txid']],
    [{ RedirectURL, EINDEX: 'shop 1' }, ['i', 'm']],
  ] as const) {
    const paid = await paidOn(await openForm(till, changes, { eSubmission: '0201' }))
    const address = (await redirectAddress(till.needs, paid)) ?? ''
    assert.equal(isOurs(address, key, names), true, address)
    assert.equal(new URL(address).searchParams.get('order'), '7')
    assert.equal(isOurs(address, '0'.repeat(64), names), false)
  }
})

test('the written code decrypts the written example and what we send', async () => {
  const readResult = await writtenCode<ReadResult>('readResult')
  const { key, i, m } = { key: written('Hex key'), i: written('i'), m: written('m') }
  const example = readResult(`${i}${m}`, key)
  const list = Object.entries(example).flat().join('\\|')
  assert.equal(list, written('Content'))
  const changes = { RedirectURL: 'https://shop.example/done?order=7' }
  const { till, guest, key: own } = await formWithKey(changes, { eSubmission: '0201' })
  const paid = await paidOn(guest)
  const TXID = String(paid.attempt.attemptId)
  const told = [await redirectAddress(till.needs, paid), await parentMessage(till.needs, paid)]
  for (const text of told) assert.partialDeepStrictEqual(readResult(text ?? '', own), { TXID, FEE: '0.00' })
})

test('without the bit nobody is sent anywhere', async () => {
  const till = await openTill(world())
  const paid = await paidOn(await openForm(till, { RedirectURL: 'https://shop.example/' }))
  assert.equal(await redirectAddress(till.needs, paid), null)
})
