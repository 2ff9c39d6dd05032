import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { linkQr } from '#capabilities/links/link-qr.page.ts'
import { type GatewayProcess, openHome } from '../support/gateway-process.ts'
import { assertRefused } from '../support/refused-start.ts'

// What cannot be done is said in one line, with exit status 1 and without a stack.

const home = openHome({ after })
let gateway: GatewayProcess

before(async () => {
  gateway = await home.start()
})

const code = 'TG0000001'
const add = `merchant add --account ${code}`
const issue = `token issue --account ${code}`

// The words of each command are separated by one space; _ stands for a space within a word.
const refusals: readonly (readonly [string, string, RegExp])[] = [
  ['an unknown command', 'begin', /^There is no command begin\. tillgate help lists all\.$/],
  ['a word of the language', 'constructor', /^There is no command constructor\. tillgate help lists all\.$/],
  ['an unknown verb', 'account make', /^tillgate account knows these: create, set, list, .*$/],
  [
    'a noun alone',
    'token',
    /^tillgate token knows these: issue, revoke, list\. tillgate token --help shows how\.$/,
  ],
  [
    'a word too many for a command without a noun',
    'doctor please',
    /^tillgate doctor takes --json and nothing else/,
  ],
  ['a word too many', 'account list all', /^Too many words\. Usage: tillgate account list$/],
  ['an unknown option', 'account list --sorted', /--sorted/],
  ['an option without its value', `${add} --name`, /^--name needs a value; one that begins with a dash is /],
  ['a value that begins with a dash', 'bank log --last -1', /^--last needs a value; .* --last=-1\.$/],
  ['a value where none belongs', 'account list --json=yes', /^--json takes no value\.$/],
  ['a missing option', 'account create', /^--description is missing\. Usage: tillgate account create /],
  ['an option that is empty', 'account create --description _', /^--description is missing\./],
  ['a missing subject', 'account lock', /^Which account code\? Usage: tillgate account lock CODE$/],
  ['an account that does not exist', 'account lock ZZ0000000', /^There is no account ZZ0000000\. .*$/],
  ['a change to no account', 'account set ZZ0000000 --description X', /^There is no account ZZ0000000\. .*$/],
  ['a list of no account', 'merchant list --account ZZ0000000', /^There is no account ZZ0000000\. .*$/],
  ['a bad account code', 'account create --description X --code A1', /^A1 is no account code: two letters /],
  [
    'a code that is taken',
    `account create --description X --code ${code}`,
    /^The code TG0000001 is taken\.$/,
  ],
  ['a bad time zone', `${add} --name X --zone Mars/Base`, /^Mars\/Base is no time zone such as .*$/],
  ['a bad currency', `${add} --name X --currency XYZ`, /^XYZ is no currency of ISO 4217\.$/],
  ['no name', add, /^--name is missing\. Usage: tillgate merchant add /],
  ['a name that is too long', `${add} --name ${'X'.repeat(76)}`, /75/],
  ['a name of two lines', `${add} --name Two\nlines`, /name/],
  ['a bad merchant number', `merchant set one --account ${code}`, /^one is no merchant number: 1, 2, 3 /],
  ['a missing merchant record', `merchant set 9 --account ${code} --name X`, /^The account .* record 9\.$/],
  ['a merchant record left without a name', `merchant set 1 --account ${code} --name _`, /name/],
  ['a token for no record', `${issue} --alias a --merchant 9`, /^The account .* has no merchant record 9\.$/],
  ['a token without a user', issue, /^--alias is missing\. Usage: tillgate token issue /],
  [
    'another record for a user',
    `${issue} --alias sandbox --merchant 1`,
    /^This API user was made for another/,
  ],
  ['a bad token id', 'token revoke first', /^first is no token id\. tillgate token list shows them\.$/],
  ['a token that does not exist', 'token revoke 999', /^There is no token 999\.$/],
  ['a list of final payments', 'attempt list --state approved', /^approved is no state of an open payment: /],
  [
    'a decision on nothing',
    'attempt decide',
    /^Which transaction id\? Usage: tillgate attempt decide TRANSACTION /,
  ],
  ['a decision without an outcome', 'attempt decide 7', /^Which outcome\? Usage: tillgate attempt decide /],
  ['a bad transaction id', 'attempt decide x approved --reason R', /^x is no transaction id\. /],
  [
    'an outcome that is none',
    'attempt decide 7 lost --reason R',
    /^lost is no outcome: approved, declined, /,
  ],
  ['a decision without a reason', 'attempt decide 7 approved', /^--reason is missing\. /],
  ['an empty reason', 'attempt decide 7 approved --reason _', /^--reason is missing\. /],
  [
    'a payment that is not',
    'attempt decide 999999 approved --reason R',
    /^There is no transaction 999999\.$/,
  ],
]

// Usage may follow on a second line, where the first one quotes what was wrong with the options.
const oneLine = /^[^\n]+\n(Usage: [^\n]+\n)?$/

for (const [what, words, message] of refusals) {
  test(`refuses ${what}`, async () => {
    const args = words.split(' ').map((word) => word.replaceAll('_', ' '))
    const { code: status, stdout, stderr } = await home.runCli(args)
    assert.match(stderr.split('\nUsage: ')[0]?.trim() ?? '', message)
    assert.match(stderr, oneLine)
    assert.doesNotMatch(stderr, /\n\s+at |node:internal|Error:/, 'no stack')
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  })
}

test('the QR code of a link leads to the gateway, and is refused where that is not known', async () => {
  const say = async (...words: readonly string[]) => (await home.runCli(words, { PORT: '0' })).stdout
  const [link] = JSON.parse(await say('link', 'list', '--account', code, '--json'))
  const words = [String(link.link), '--account', code]
  const [{ address }] = JSON.parse(await say('link', 'show', ...words, '--json'))
  assert.match(address, new RegExp(`^${gateway.baseUrl}/sw/[0-9a-z]+$`, 'i'))
  assert.equal(await say('link', 'show', ...words, '--qr'), `${linkQr(address)}\n`)
  const file = join(home.dataFolder, 'sandbox.json')
  renameSync(file, `${file}.away`)
  const poor = [
    await home.runCli(['link', 'show', ...words, '--qr'], { PORT: '0' }),
    await home.runCli(['link', 'resend', ...words], { PORT: '0' }),
  ]
  renameSync(`${file}.away`, file)
  for (const refused of poor) assertRefused(refused, /Set BASE_URL\.\n$/)
})

test('nothing of what was refused has left a trace', async () => {
  assert.equal((await gateway.query(await gateway.signIn())).MerchantList?.length, 3)
  const { stdout } = await home.runCli(['account', 'list', '--json'])
  assert.equal(JSON.parse(stdout).length, 1)
})
