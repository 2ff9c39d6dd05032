import assert from 'node:assert/strict'
import { createDecipheriv, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { redirectAddress, resultMembers } from '#capabilities/forms/form-result.operation.ts'
import {
  addIntegratorKey,
  disableIntegratorKey,
  listIntegratorKeys,
  rotateSigningKey,
  signingKey,
} from '#capabilities/forms/integrator-keys.operation.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

async function paidOn(guest: Guest) {
  assert.deepEqual(await press(guest), { kind: 'paid' })
  const { form, attempt, order } = await look(guest)
  assert(attempt)
  return { form, attempt, order }
}

test('with EINDEX everything travels encrypted, and the integrator can read it', async () => {
  const till = await openTill(world())
  const { accountId } = till.account
  const key = await addIntegratorKey(till.needs, accountId, 'shop-1')
  assert(key)
  const paid = await paidOn(await openForm(till, { EINDEX: 'shop-1' }))
  const { m = '', i, ...rest } = await resultMembers(till.needs, paid)
  assert.deepEqual([i, rest], ['shop-1', {}])
  assert.deepEqual(await resultMembers(till.needs, paid), { m, i }, 'the same bytes whenever it is asked for')
  const bytes = Buffer.from(m, 'base64')
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key.reveal(), 'hex'), bytes.subarray(0, 16))
  const line = decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8')
  assert(line.startsWith(`TXID|${paid.attempt.attemptId}|CONSENTID|0|CARDNUMBER|1111|CARDTYPE|Visa|`), line)
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

const page = readFileSync(join(import.meta.dirname, '../../../docs/hosted-form.md'), 'utf8')
type IsOurs = (address: string, key: string, names?: readonly string[]) => boolean

// The very code that integrators are shown.
async function writtenCheck(): Promise<IsOurs> {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? []
  const { isOurs }: { isOurs: IsOurs } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return isOurs
}

const written = (what: string) => new RegExp(`^\\| ${what} +\\| \`(.*?)\` +\\|$`, 'm').exec(page)?.[1] ?? ''

test('the written example of a signature is right, and so is the written code that checks it', async () => {
  const isOurs = await writtenCheck()
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
  const isOurs = await writtenCheck()
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

test('without the bit nobody is sent anywhere', async () => {
  const till = await openTill(world())
  const paid = await paidOn(await openForm(till, { RedirectURL: 'https://shop.example/' }))
  assert.equal(await redirectAddress(till.needs, paid), null)
})
