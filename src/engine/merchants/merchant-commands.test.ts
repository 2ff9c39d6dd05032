import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Options, type Report } from '#apps/cli/command.ts'
import { merchantCommands } from '#apps/cli/merchant.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeConsent } from '../../../test/support/consent-world.ts'
import { openForm } from '../../../test/support/form-world.ts'
import { makeLink } from '../../../test/support/link-world.ts'
import { openTill, sell, settleAll, type Till } from '../../../test/support/till.ts'
import { makeAccount, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// '--fee surcharge --ach' as the command line would hand it over.
function optionsOf(words: string): Options {
  const values = new Map(
    words.split(/ ?--/).flatMap((word) => {
      const [name = '', value = ''] = word.split(' ')
      return name === '' ? [] : [[name, value] as const]
    }),
  )
  const text = (name: string) => values.get(name)
  const flag = (name: string) => (values.has(`no-${name}`) ? false : values.has(name) || undefined)
  return { text, flag, needText: (name) => text(name) ?? assert.fail(`--${name} is missing`) }
}

async function run(needs: World, verb: 'add' | 'set', words: string): Promise<Report> {
  const command = merchantCommands[verb]
  assert.ok(command)
  return command.run({ context: needs, nodeFile: '', options: optionsOf(words), subject: '1', second: '' })
}

const added: readonly (readonly [string, object])[] = [
  [
    '',
    {
      region: '',
      regionConfirmed: false,
      fee: 'none',
      feePercent: '0.00',
      feeFixed: '0.00',
      limitPerCharge: '100000.00',
      limitLifetime: '1000000.00',
      consentDays: 365,
      lookAlikeSeconds: 0,
      mailReceipts: false,
      cardLikeReferences: '',
    },
  ],
  ['--currency JPY', { limitPerCharge: '100000', limitLifetime: '1000000' }],
  ['--region il --fee surcharge --fee-percent 3', { region: 'IL', fee: 'surcharge', feePercent: '3.00' }],
  ['--region US-CO --fee surcharge --fee-percent 2.75', { region: 'CO', feePercent: '2.75' }],
  ['--fee convenience --fee-fixed 2.50', { fee: 'convenience', feeFixed: '2.50', feePercent: '0.00' }],
  ['--fee convenience --fee-fixed 2.5 --fee-percent 1', { feeFixed: '2.50', feePercent: '1.00' }],
  ['--limit-per-charge 500 --limit-lifetime 5000.50', { limitPerCharge: '500.00', limitLifetime: '5000.50' }],
  ['--look-alike-seconds 28800', { lookAlikeSeconds: 28_800 }],
  ['--mail-receipts', { mailReceipts: true }],
  ['--card-like-references Scheme', { cardLikeReferences: 'Scheme' }],
  ['--consent-days 30 --region OK --region-confirmed', { consentDays: 30, regionConfirmed: true }],
]
for (const [words, row] of added) {
  test(`merchant add ${words}`, async () => {
    const needs = world()
    const { accountCode } = await makeAccount(needs)
    const report = await run(needs, 'add', `--account ${accountCode} --name X ${words}`.trim())
    assert.partialDeepStrictEqual(report.rows[0], row)
    assert.equal(report.note, undefined)
  })
}

const noted: readonly (readonly [string, string | undefined])[] = [
  ['CT', 'Connecticut forbids surcharges, so none will be charged.'],
  ['ME', 'No surcharge is charged in Maine until you confirm it with counsel: --region-confirmed.'],
  ['ME --region-confirmed', undefined],
  ['CO', undefined],
]
for (const [region, note] of noted) {
  test(`a surcharge in ${region} is ${note === undefined ? 'set' : 'set with a warning'}`, async () => {
    const needs = world()
    const { accountCode } = await makeAccount(needs)
    const words = `--account ${accountCode} --fee surcharge --fee-percent 3 --region ${region}`
    const report = await run(needs, 'set', words)
    assert.equal(report.rows[0]?.['fee'], 'surcharge')
    assert.equal(report.note, note)
  })
}

for (const [made, words] of [
  ['a domestic', '--international'],
  ['an international', '--no-international'],
] as const) {
  test(`${made} record with charges stays one, and without any it does not`, async () => {
    const needs = world()
    const till = await openTill(needs)
    const set = (changes: string) => run(needs, 'set', `--account ${till.account.accountCode} ${changes}`)
    if (made === 'an international') await set('--international')
    await set(words)
    await set(words.startsWith('--no') ? '--international' : '--no-international')
    assert((await sell(till, 10)) > 0)
    const message = 'Merchant record 1 has charges: add another one that is, or is not, international.'
    await assert.rejects(set(words), { name: 'Complaint', message })
    await set('--name Corner')
  })
}

const inUse = { name: 'Complaint', message: /^Merchant record 1 is used with its currency already: add/ }

for (const [what, use] of [
  ['a charge', (till: Till) => sell(till, 10)],
  ['a consent', ({ needs, caller }: Till) => makeConsent(needs, caller)],
  ['a form', (till: Till) => openForm(till)],
  ['a link', (till: Till) => makeLink(till)],
] as const) {
  test(`a record with ${what} keeps its currency, in which it is paid and settled`, async () => {
    const needs = world()
    const till = await openTill(needs, { verifiesCards: false })
    const set = (changes: string) => run(needs, 'set', `--account ${till.account.accountCode} ${changes}`)
    await set('--currency EUR')
    await set('--currency USD')
    await use(till)
    await assert.rejects(set('--currency EUR'), inUse)
    assert.equal((await set('--currency USD --name Corner')).rows[0]?.['currency'], 'USD')
  })
}

test('a record that has another currency than its charges gets theirs back and settles them', async () => {
  const needs = world()
  const till = await openTill(needs)
  const set = (changes: string) => run(needs, 'set', `--account ${till.account.accountCode} ${changes}`)
  await sell(till, 10)
  // As it could be done once.
  await needs.db.run(changeCurrencyStatement, [till.account.accountId])
  assert.equal((await settleAll(till)).batch['BatchTransCount'], 0)
  await set('--currency USD')
  assert.equal((await settleAll(till)).batch['BatchTransCount'], 1)
})

const changeCurrencyStatement = statement(
  'test_change_currency',
  [int8],
  {},
  `update merchant set currency = 'EUR' where account_id = $1`,
)

const refused: readonly (readonly [string, RegExp])[] = [
  ['--region XX', /^XX is no region: a state such as CO, or elsewhere DE-BE\.$/],
  ['--fee tip', /^tip is no kind of fee: none, surcharge, convenience\.$/],
  ['--fee-percent three', /^three is no percentage from 0 to 10, such as 3 or 2\.75\.$/],
  ['--fee-percent 2.755', /^2\.755 is no percentage/],
  ['--fee-percent 10.01', /^10\.01 is no percentage/],
  ['--fee-percent -1', /^-1 is no percentage/],
  ['--fee-percent 3', /^Which fee is it\? Say --fee surcharge or --fee convenience/],
  ['--fee surcharge --fee-percent 3', /^What a surcharge may be depends on the state: say --region/],
  ['--fee surcharge --region IL', /^A surcharge is a percentage: say --fee-percent 3\.$/],
  ['--fee surcharge --region IL --fee-percent 3 --fee-fixed 1', /^A surcharge has no fixed amount/],
  ['--fee convenience --fee-percent 3', /^A convenience fee has a fixed amount/],
  ['--fee-fixed 2.505', /^2\.505 is no amount in USD\.$/],
  ['--fee-fixed 2.5 --currency JPY', /^2\.5 is no amount in JPY\.$/],
  ['--fee-fixed -1', /^-1 is no amount in USD\.$/],
  ['--limit-per-charge 10000000000', /^10000000000 is no amount in USD\.$/],
  ['--limit-lifetime 0', /^--limit-per-charge and --limit-lifetime are more than 0\.$/],
  ['--consent-days 0', /^--consent-days is a whole number from 1 to 3650\.$/],
  ['--consent-days 1.5', /^--consent-days is a whole number from 1 to 3650\.$/],
  ['--look-alike-seconds 28801', /^--look-alike-seconds is a whole number from 0 to 28800\.$/],
  ['--look-alike-seconds -1', /^--look-alike-seconds is a whole number from 0 to 28800\.$/],
]
for (const [words, message] of refused) {
  test(`refuses merchant set 1 ${words}`, async () => {
    const needs = world()
    const { accountCode } = await makeAccount(needs)
    const running = run(needs, 'set', `--account ${accountCode} ${words}`)
    await assert.rejects(running, { name: 'Complaint', message })
  })
}
