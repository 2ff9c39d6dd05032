import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type GatewayProcess, openHome } from '../support/gateway-process.ts'

// Every command, first on a stopped installation, then beside a running gateway. Each test goes on where the
// one before it ended.

type Row = Readonly<Record<string, string | number | boolean>>

const home = openHome({ after })
const code = 'AB1234567'
const account = ['--account', code]
const postmasterFile = join(home.dataFolder, 'postgres', 'cluster', 'postmaster.pid')

async function say(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, ...ending } = await home.runCli(args, { PORT: '0' })
  assert.deepEqual({ stderr, ...ending }, { stderr: '', code: 0 })
  return stdout
}

async function rowsOf(...args: readonly string[]): Promise<readonly Row[]> {
  return JSON.parse(await say(...args, '--json'))
}

async function rowOf(...args: readonly string[]): Promise<Row> {
  const [row, ...others] = await rowsOf(...args)
  assert.deepEqual(others, [])
  return row ?? {}
}

async function issueToken(...args: readonly string[]): Promise<{ id: string; token: string }> {
  const { id, token } = await rowOf('token', 'issue', ...account, ...args)
  return { id: String(id), token: String(token) }
}

// The lines of a table as lists of cells; columns stand at least two spaces apart.
function cellsOf(table: string): readonly string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
}

const commands = [
  'start',
  'migrate',
  'doctor',
  'selftest',
  'resume',
  'reconcile',
  ...['create', 'set', 'list', 'lock', 'unlock', 'close'].map((verb) => `account ${verb}`),
  ...['file', 'returns'].map((verb) => `ach ${verb}`),
  ...['list', 'decide'].map((verb) => `attempt ${verb}`),
  'bank log',
  ...['list', 'show', 'forecast', 'plan', 'release'].map((verb) => `batch ${verb}`),
  ...['show', 'advance', 'set'].map((verb) => `clock ${verb}`),
  'dispute list',
  ...['explain', 'set', 'key'].map((verb) => `form ${verb}`),
  ...['add', 'list', 'disable'].map((verb) => `integrator-key ${verb}`),
  ...['list', 'rotate', 'retire'].map((verb) => `keys ${verb}`),
  'ledger verify',
  ...['list', 'show', 'withdraw', 'resend'].map((verb) => `link ${verb}`),
  ...['add', 'set', 'list'].map((verb) => `merchant ${verb}`),
  ...['list', 'show', 'retry', 'limits'].map((verb) => `message ${verb}`),
  'plan show',
  ...['issue', 'revoke', 'list'].map((verb) => `token ${verb}`),
  ...['add', 'list', 'disable', 'rotate', 'log', 'show', 'replay'].map((verb) => `webhook ${verb}`),
]

test('help lists every command, and needs no installation', async () => {
  for (const words of [['help'], ['--help'], ['-h'], []]) {
    const listed = cellsOf(await say(...words)).flatMap(([command = '']) =>
      command.startsWith('tillgate ') ? [/^tillgate ([a-z-]+(?: [a-z]+)?)/.exec(command)?.[1]] : [],
    )
    assert.deepEqual(listed, commands)
  }
  assert.ok(!existsSync(home.dataFolder))
})

test('every command explains itself, those of one word too', async () => {
  for (const command of ['start', 'migrate', 'doctor', 'selftest', 'resume', 'account create']) {
    assert.match(await say(...command.split(' '), '--help'), new RegExp(`\\ntillgate ${command}`))
  }
  const usages = (await say('keys', '--help')).split('\n').filter((line) => line.startsWith('tillgate '))
  assert.deepEqual(usages, [
    'tillgate keys list [--json]',
    'tillgate keys rotate [--json]',
    'tillgate keys retire VERSION [--json]',
  ])
  assert.ok(!existsSync(home.dataFolder))
})

test('migrate sets an empty installation up, and changes nothing the second time', async () => {
  const first = await home.runCli(['migrate'])
  assert.deepEqual([first.code, first.stdout], [0, 'The schema is up to date.\n'])
  assert.match(first.stderr, /Made a NEW installation/)
  const second = await home.runCli(['migrate'])
  assert.deepEqual([second.code, second.stdout], [0, 'The schema is up to date.\n'])
  assert.doesNotMatch(second.stderr, /NEW installation|"applied"/)
})

test('an account is made and changed on a stopped installation', async () => {
  const shown = await rowOf('account', 'create', '--description', 'Corner shop', '--code', code)
  const { integratorKeyIndex, integratorKey, ...made } = shown
  assert.match(`${String(integratorKeyIndex)} ${String(integratorKey)}`, /^300 [0-9a-f]{64}$/)
  assert.partialDeepStrictEqual(made, {
    code,
    description: 'Corner shop',
    state: 'open',
    bindsAddress: false,
  })
  const changed = await rowOf('account', 'set', code, '--partial-approvals', '--no-verify-cards')
  assert.partialDeepStrictEqual(changed, { ...made, partialApprovals: true, verifiesCards: false })
  const [head, line] = cellsOf(await say('account', 'list'))
  assert.deepEqual(head?.slice(0, 3), ['code', 'description', 'state'])
  assert.deepEqual(line?.slice(0, 3), [code, 'Corner shop', 'open'])
  assert.equal((await rowOf('account', 'lock', code))['state'], 'locked')
  assert.equal((await rowOf('account', 'unlock', code))['state'], 'open')
})

test('an account without a chosen code gets one, and people are told what comes next', async () => {
  const told = await say('account', 'create', '--description', 'Kiosk')
  assert.match(told, /TG\d{7} +Kiosk[^]*Next: tillgate merchant add --account TG\d{7} /)
})

test('merchant records are added and changed on a stopped installation', async () => {
  const first = await rowOf('merchant', 'add', ...account, '--name', 'Shop', '--location', 'Main Street')
  assert.partialDeepStrictEqual(first, { number: 1, zone: 'UTC', currency: 'USD', ach: false })
  const abroad = ['--zone', 'Europe/Berlin', '--currency', 'eur', '--international', '--ach']
  const second = await rowOf('merchant', 'add', ...account, '--name', 'Web', ...abroad)
  const expected = { number: 2, zone: 'Europe/Berlin', currency: 'EUR', international: true, ach: true }
  assert.partialDeepStrictEqual(second, expected)
  const changed = await rowOf('merchant', 'set', '2', ...account, '--name', 'Web shop', '--no-ach')
  assert.deepEqual(changed, { ...second, name: 'Web shop', ach: false })
  assert.deepEqual(await rowsOf('merchant', 'list', ...account), [first, changed])
  assert.deepEqual(cellsOf(await say('merchant', 'list', ...account))[2]?.slice(0, 2), ['2', 'Web shop'])
})

test('a token is shown once, when it is issued', async () => {
  const table = await say(
    'token',
    'issue',
    ...account,
    '--alias',
    'short-lived',
    '--description',
    'For a day',
  )
  const [, [id = '', , token = ''] = [], [note] = []] = cellsOf(table)
  assert.match(token, /^[0-9a-f]{32}$/)
  assert.match(note ?? '', /shown this once/)
  const listed = await say('token', 'list', ...account)
  assert.ok(!listed.includes(token))
  assert.match(listed, /short-lived +all +For a day .* valid\n/)
  assert.deepEqual(await rowOf('token', 'revoke', id), { id: Number(id), state: 'revoked' })
  assert.equal((await rowsOf('token', 'list', ...account))[0]?.['state'], 'revoked')
})

test('commands that are given at the same moment wait for each other', async () => {
  const names = ['One', 'Two', 'Three']
  const made = await Promise.all(names.map((name) => rowOf('account', 'create', '--description', name)))
  assert.deepEqual(
    made.map(({ description }) => description),
    names,
  )
})

test('doctor finds nothing wrong with a stopped installation, and says when the port is taken', async (t) => {
  const verdicts = cellsOf(await say('doctor')).map(([check, verdict]) => `${check} ${verdict}`)
  const ofDatabase = ['database', 'server', 'keys', 'clock', 'guard']
  const subjects = [...ofDatabase, 'tasks', 'attempts', 'batches', 'messages', 'port', 'disk']
  assert.deepEqual(verdicts, ['check verdict', ...subjects.map((subject) => `${subject} ok`)])
  const other = createServer()
  t.after(() => other.close())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const PORT = String(typeof address === 'object' && address?.port)
  const rows: readonly { check: string; verdict: string }[] = JSON.parse(await say('doctor', '--json'))
  assert.deepEqual(
    rows.map(({ check, verdict }) => `${check} ${verdict}`),
    verdicts.slice(1),
  )
  const { code: status, stdout } = await home.runCli(['doctor'], { PORT })
  assert.equal(status, 1)
  assert.match(stdout, new RegExp(`^port +WRONG +${PORT} is taken`, 'm'))
  assert.match(stdout, /^database +ok /m, 'the rest is told all the same')
})

test('commands on a stopped installation leave no PostgreSQL running', () => {
  assert.ok(existsSync(home.dataFolder))
  assert.ok(!existsSync(postmasterFile))
})

let gateway: GatewayProcess
const signIn = async (token: string) => (await gateway.authenticate({ acctCode: code, token })).result

test('a token for one merchant record sees that record alone, one for all sees them all', async () => {
  const { token } = await issueToken('--alias', 'web', '--merchant', '2')
  gateway = await home.start()
  const one = await signIn(token)
  assert.deepEqual(
    one.MerchantList?.map(({ ID, Descrip }) => [ID, Descrip]),
    [[2, 'Web shop']],
  )
  assert.partialDeepStrictEqual(one.ThisUser, { APILocationID: 2, Alias: 'web' })
  const asked = await gateway.query(one.SessKey ?? '')
  assert.deepEqual([asked.MerchantList, asked.ThisUser], [one.MerchantList, one.ThisUser])
  const all = await signIn((await issueToken('--alias', 'office')).token)
  assert.deepEqual(
    all.MerchantList?.map(({ ID }) => ID),
    [1, 2],
  )
  assert.equal(all.ThisUser?.APILocationID, 0)
})

test('a token can be exchanged without a gap: two are valid at once, a third is refused', async () => {
  const first = await issueToken('--alias', 'till')
  const second = await issueToken('--alias', 'till')
  for (const { token } of [first, second]) assert.equal((await signIn(token)).AuthSuccess, true)
  const third = await home.runCli(['token', 'issue', ...account, '--alias', 'till'])
  assert.deepEqual([third.code, third.stdout], [1, ''])
  assert.match(third.stderr, /^This API user has two valid tokens already\. .*\n$/)
  await say('token', 'revoke', first.id)
  assert.equal((await signIn((await issueToken('--alias', 'till')).token)).AuthSuccess, true)
  assert.equal((await signIn(second.token)).AuthSuccess, true)
  assert.equal((await signIn(first.token)).ErrCode, 5001)
})

test('what is changed beside a running gateway shows in the next answer', async () => {
  const { number } = await rowOf('merchant', 'add', ...account, '--name', 'Stall')
  await say('merchant', 'set', String(number), ...account, '--name', 'Market stall')
  await say('account', 'set', code, '--description', 'Corner shops')
  const { MerchantList, ThisUser } = await signIn((await issueToken('--alias', 'stall')).token)
  assert.equal(MerchantList?.at(-1)?.Descrip, 'Market stall')
  assert.partialDeepStrictEqual(ThisUser, { Description: 'Corner shops' })
  const migrated = await home.runCli(['migrate'])
  assert.deepEqual([migrated.code, migrated.stdout], [0, 'The schema is up to date.\n'])
  assert.match(await say('doctor'), /^database +ok /m)
})

test('doctor says that a gateway runs from the data folder, and by which process', async () => {
  const told = /^database +ok +answers, schema up to date; a gateway runs from (.+) \(process (\d+)\)$/m
  const [, folder, processId] = told.exec(await say('doctor')) ?? []
  const [holder] = readFileSync(join(home.dataFolder, 'tillgate.pid'), 'utf8').split('\n')
  assert.deepEqual([folder, processId], [home.dataFolder, holder])
})

async function signInsOfAll(): Promise<readonly string[]> {
  return (await rowsOf('account', 'list')).map((row) => `${row['code']} ${row['signIns']}`)
}

test('the list of accounts says which are locked out, until they are unlocked', async () => {
  for (let failure = 0; failure < 6; failure++) await signIn('f'.repeat(32))
  const locked = await signInsOfAll()
  assert.deepEqual(
    locked.filter((one) => !one.endsWith(' open')),
    [`${code} locked out from 1 network`],
  )
  assert.match(await say('account', 'list'), /Too many sign-ins failed; tillgate account unlock CODE/)
  await say('account', 'unlock', code)
  assert((await signInsOfAll()).includes(`${code} open`))
})

test('account codes may be typed in small letters', async () => {
  assert.equal((await rowOf('account', 'set', code.toLowerCase(), '--bind-address'))['bindsAddress'], true)
  assert.equal(
    (await rowOf('account', 'set', code.toLowerCase(), '--no-bind-address'))['bindsAddress'],
    false,
  )
})

test('a locked account is told so, an unlocked one is let in again, a closed one never', async () => {
  const { token } = await issueToken('--alias', 'last')
  const { SessKey = '' } = await signIn(token)
  assert.equal((await rowOf('account', 'lock', code))['state'], 'locked')
  const locked = await signIn(token)
  assert.partialDeepStrictEqual(locked, { AuthSuccess: false, ErrCode: 5020, SessKey: '', MerchantList: [] })
  assert.partialDeepStrictEqual(locked.ThisUser, { IsLockedOut: true, Alias: 'last' })
  assert.equal((await gateway.query(SessKey)).ErrCode, 5030)
  await say('account', 'unlock', code)
  const again = await signIn(token)
  assert.equal(again.AuthSuccess, true)
  assert.equal((await rowOf('account', 'close', code))['state'], 'closed')
  assert.partialDeepStrictEqual(await signIn(token), { AuthSuccess: false, ErrCode: 5003, ThisUser: null })
  assert.equal((await gateway.query(again.SessKey ?? '')).ErrCode, 5030)
  const reopened = await home.runCli(['account', 'unlock', code])
  assert.deepEqual([reopened.code, reopened.stderr], [1, `The account ${code} is closed for good.\n`])
  const issued = await home.runCli(['token', 'issue', ...account, '--alias', 'late'])
  assert.deepEqual([issued.code, issued.stderr], [1, 'The account is closed.\n'])
})

test('commands beside a running gateway leave it and its PostgreSQL running', async () => {
  assert.equal((await gateway.get('/ready')).status, 200)
  assert.equal((await gateway.stop()).code, 0)
  assert.ok(!existsSync(postmasterFile))
})
