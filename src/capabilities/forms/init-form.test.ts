import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeFormSetting } from '#capabilities/forms/change-form-setting.operation.ts'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { expireFormsWork } from '#capabilities/forms/expire-forms.task.ts'
import { findMadeForm } from '#capabilities/forms/init-form.operation.ts'
import { removeOldForms } from '#capabilities/forms/remove-old-forms.operation.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Told, withKey } from '../../../test/support/till.ts'

const world = useWorld()
const path = initFormContract.path
const { InitParams } = initFormContract.example.request as { InitParams: { WidOptions: object } }
const { WidOptions } = InitParams

function order(changes: object, options: object = {}): object {
  return { InitParams: { ...InitParams, ...changes, WidOptions: { ...WidOptions, ...options } } }
}

function urlOf({ code, text, members }: Told): URL {
  assert.equal(code, 0, text)
  return new URL(String(members['PaymentUrl']))
}

test('a form is made, and its address opens it', async () => {
  const till = await openTill(world())
  const told = await call(till, path, initFormContract.example.request)
  const url = urlOf(told)
  assert.equal(told.text, 'successfully returned payment Url')
  assert.equal(`${url.origin}${url.pathname}`, 'https://pay.example/PayForm/PF.aspx')
  assert.match(url.searchParams.get('s') ?? '', /^[0-9a-f]{32}$/)
})

test('two calls make two forms; one call sent twice under its key makes one', async () => {
  const till = await openTill(world())
  const body = initFormContract.example.request
  assert.notEqual(urlOf(await call(till, path, body)).href, urlOf(await call(till, path, body)).href)
  const keyed = withKey(till, 'order-1', path)
  const first = await call(keyed, path, body)
  assert.equal(first.code, 0)
  assert.equal((await call(keyed, path, body)).code, 4091, 'answered from what was made, by the transport')
})

test('a key tells a token of one record its address again when the form is long forgotten', async () => {
  const till = await openTill(world())
  const bound = (number: number) => ({ ...till.caller, merchantNumber: merchantNumber(number) })
  const keyed = withKey({ ...till, caller: bound(1) }, 'order-1', path)
  const { callerKey } = keyed.caller
  const { href } = urlOf(await call(keyed, path, initFormContract.example.request))
  till.needs.clock.advance({ hours: 2 })
  await runDueNow(till.needs, expireFormsWork, till.account.accountId)
  till.needs.clock.advance({ hours: 24 * 31 })
  await removeOldForms(till.needs)
  assert.deepEqual((await call(till, 'Form/Query', {})).members['Forms'], [])
  const toldTo = async (number: number) =>
    (await findMadeForm(till.needs, { ...bound(number), callerKey }))?.value.url
  assert.deepEqual([await toldTo(1), await toldTo(2)], [href, undefined])
})

test('neither the end point nor the kind minds its case', async () => {
  const till = await openTill(world())
  assert.equal((await call(till, path, order({ EndPoint: '/payform/PF.ASPX', WTYPE: 'pf' }))).code, 0)
})

const wrongOrders: readonly [what: string, changes: object, options: object, names: RegExp][] = [
  ['another end point', { EndPoint: 'PayForm/XX.aspx' }, {}, /EndPoint must be PayForm\/PF\.aspx/],
  ['another kind', { WTYPE: 'SW' }, {}, /InitParams\.WTYPE must be PF or PA/],
  [
    'the international kind',
    { WTYPE: 'PA' },
    {},
    /InitParams\.WTYPE PA is not taken: record 1 is domestic and needs PF/,
  ],
  [
    'five digits',
    {},
    { eVisible: '12345' },
    /InitParams\.WidOptions\.eVisible must have one to four hex digits/,
  ],
  ['a letter that is no digit', {}, { eReadOnly: 'G' }, /InitParams\.WidOptions\.eReadOnly/],
  ['no digits', {}, { eStyles: '' }, /InitParams\.WidOptions\.eStyles/],
  ['a sign', {}, { eSubmission: '-1' }, /InitParams\.WidOptions\.eSubmission/],
  [
    'six colours',
    {},
    { eColors: 'red,red,red,red,red,red' },
    /InitParams\.WidOptions\.eColors has 6 colours/,
  ],
  ['style text for a colour', {}, { eColors: 'red;}*{,red,red,red,red,red,red' }, /eColors has 'red;/],
  [
    'wallets',
    {},
    { eFeatures: '4' },
    /InitParams\.WidOptions\.eFeatures asks for what does not exist yet: wallets/,
  ],
  [
    'a post without an address',
    {},
    { eSubmission: '0A08' },
    /InitParams\.PostURL is missing, and InitParams\.WidOptions\.eSubmission asks/,
  ],
  ['an address of a script', { RedirectURL: 'javascript:alert(1)' }, {}, /RedirectURL is no address/],
  ['an address without a host', { PostURL: 'https:///x' }, {}, /PostURL is no address/],
  ['an address with a password', { PostURL: 'https://a:b@shop.example' }, {}, /PostURL contains a user name/],
  ['a post to a fragment', { PostURL: 'https://shop.example/#paid' }, {}, /PostURL contains a fragment/],
  [
    'a post to no machine',
    { PostURL: 'http://0.0.0.0/paid' },
    {},
    /PostURL is one that nothing is ever sent/,
  ],
  ['a post to a cloud', { PostURL: 'http://169.254.169.254/' }, {}, /PostURL is one that nothing is ever/],
  ['a payer sent to a cloud', { RedirectURL: 'http://169.254.169.254/' }, {}, /RedirectURL is one that/],
  ['a backslash', { RedirectURL: 'https://shop.example\\@evil.example' }, {}, /RedirectURL contains blanks/],
  [
    'a long address',
    { PostURL: `https://a.example/${'a'.repeat(2_048)}` },
    {},
    /PostURL is longer than 2048/,
  ],
  [
    'a hidden amount that is missing',
    { Amounts: {} },
    { eVisible: '0' },
    /InitParams\.Amounts has no amount above 0/,
  ],
  ['a fixed amount that is missing', { Amounts: {} }, {}, /Amounts has no amount above 0/],
  [
    'a fixed amount of 0',
    { Amounts: { BaseAmt: 0 } },
    {},
    /no amount above 0[^]*: InitParams\.WidOptions\.eVisible \(bit 6\)/,
  ],
  [
    'half a cent',
    { Amounts: { BaseAmt: 1.005 } },
    {},
    /InitParams\.Amounts\.BaseAmt has more decimals than USD has/,
  ],
  [
    'more than the record takes',
    { Amounts: { BaseAmt: 100_000.01 } },
    {},
    /Amounts\.BaseAmt makes a payment of more than 100000\.00 USD, the most that the merchant record takes/,
  ],
  ['a fee where there are none', { Amounts: { BaseAmt: 5, Surcharge: 1 } }, {}, /fee/i],
  [
    'two base amounts',
    { Amounts: { BaseAmt: 5, Amount: 6 } },
    {},
    /InitParams\.Amounts\.BaseAmt and InitParams\.Amounts\.Amount differ/,
  ],
  ['a key that nobody made', { EINDEX: 'shop-9' }, {}, /InitParams\.EINDEX shop-9 is no key of this account/],
  [
    'a ZIP match without a ZIP',
    {},
    { eVisible: 'A043', eSubmission: '0288' },
    /InitParams\.Payer\.BillingAddress\.ZIP is neither asked for/,
  ],
  [
    'an address match without a street',
    {},
    { eSubmission: '0248' },
    /InitParams\.Payer\.BillingAddress\.StreetAddress is neither asked for/,
  ],
  ['a record that is not there', { MerchID: 9 }, {}, /merchant record 9/i],
]
// A member without the path that leads to it.
const shortened =
  /(?<!InitParams\.)\b(?:WTYPE|EINDEX|Amounts|Payer|WidOptions)\b|(?<!WidOptions\.)\be[A-Z]\w+/

for (const [what, changes, options, names] of wrongOrders) {
  test(`a form with ${what} is refused by name`, async () => {
    const told = await call(await openTill(world()), path, order(changes, options))
    assert.notEqual(told.code, 0)
    assert.match(told.text, names)
    assert.doesNotMatch(told.text, shortened)
    assert.equal(told.members['PaymentUrl'], null)
  })
}

test('what is no e-mail address is refused by name, as for links and consents', () => {
  const read = requestReader(initFormContract.request)
  for (const Email of ['bad', '@example.com', 'ada@', 'ada@example.com,bea@example.com']) {
    const told = read(order({ Payer: { Email } }))
    assert(!told.ok)
    assert.equal(told.refusal.kind, 'value_out_of_range')
    assert.deepEqual(told.refusal.details, { problem: 'InitParams.Payer.Email is no e-mail address' })
  }
})

test('a payer whose e-mail address is left empty is fine', async () => {
  const told = await call(await openTill(world()), path, order({ Payer: { Email: '' } }))
  assert.equal(told.code, 0, told.text)
})

test('a form that only saves a card needs no amount', async () => {
  const told = await call(await openTill(world()), path, order({ Amounts: {} }, { eSubmission: '0408' }))
  assert.equal(told.code, 0, told.text)
})

test('an international record needs the international form', async () => {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account, { isInternational: true })
  const told = await call(till, path, order({ MerchID: 2 }))
  assert.deepEqual(
    [told.code, told.text],
    [6601, 'InitParams.WTYPE PF is not taken: record 2 is international and needs PA'],
  )
  assert.equal((await call(till, path, order({ MerchID: 2, WTYPE: 'PA' }))).code, 0)
  const saving = await call(till, path, order({ MerchID: 2, WTYPE: 'PA' }, { eSubmission: '0408' }))
  assert.equal(saving.code, 0, 'it may keep a card without a payment')
})

test('a payer may be sent to a place within a page', async () => {
  const told = await call(
    await openTill(world()),
    path,
    order({ RedirectURL: 'https://shop.example/#/done' }),
  )
  assert.equal(told.code, 0, told.text)
})

const liveTargets: readonly [url: string, problem: RegExp | null][] = [
  ['https://shop.example/paid', null],
  ['https://shop.example:8443/paid', /has not registered/],
  ['https://other.example/paid', /is on other\.example, which the merchant has not registered/],
  ['http://shop.example/paid', /must start with https/],
  ['https://shop.example:9000/', /must use port 443 or 8443/],
  ['https://8.8.8.8/', /must name a host, not a number/],
  ['https://[2606:4700::1111]/', /must name a host, not a number/],
  ['https://db.internal/', /names a host that is not on the internet/],
  ['https://localhost/', /names a host that is not on the internet/],
]
for (const [url, problem] of liveTargets) {
  test(`in live mode ${url} is ${problem ? 'refused' : 'taken'}, for posts and payers alike`, async () => {
    const till = await openTill(world())
    const needs = { ...till.needs, keyRing: { ...till.needs.keyRing, mode: 'live' as const } }
    const { accountId: account } = till.account
    const origins = 'https://shop.example,https://8.8.8.8,https://db.internal'
    await changeFormSetting(needs, {
      account,
      merchant: merchantNumber(1),
      phone: null,
      origins,
      brands: null,
    })
    for (const member of ['PostURL', 'RedirectURL']) {
      const told = await call({ ...till, needs }, path, order({ [member]: url }))
      if (problem) assert.match(told.text, problem)
      else assert.equal(told.code, 0, told.text)
    }
  })
}
