import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type Config, readConfig } from '#platform/config.ts'

function configFrom(environment: Record<string, string>): Config {
  const config = readConfig(environment)
  assert.ok(!('problems' in config), JSON.stringify(config))
  return config
}

test('without any setting it is a sandbox on port 8080 with its own database', () => {
  const config = configFrom({ PATH: '/bin' })
  assert.deepEqual(
    [config.mode, config.port, config.host, config.databaseUrl, config.httpStatus],
    ['sandbox', 8080, '127.0.0.1', '', 'family'],
  )
  assert.equal(config.dataFolder, resolve('data'))
  assert.equal(config.keysFolder, resolve('data/keys'))
})

test('an empty setting counts as absent', () => {
  assert.equal(configFrom({ PORT: '', TILLGATE_MODE: ' ' }).port, 8080)
})

test('the keys follow the data folder, unless they have one of their own', () => {
  assert.equal(configFrom({ DATA_DIR: '/srv/till' }).keysFolder, '/srv/till/keys')
  assert.equal(configFrom({ DATA_DIR: '/srv/till', KEYS_DIR: '/srv/keys' }).keysFolder, '/srv/keys')
})

test('trusted proxies are a list', () => {
  assert.deepEqual(configFrom({ TILLGATE_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' }).trustedProxies, [
    '10.0.0.1',
    '10.1.0.0/16',
  ])
})

test('an address of the gateway may end with a slash', () => {
  assert.equal(configFrom({ BASE_URL: 'https://pay.example.com/' }).baseUrl, 'https://pay.example.com')
})

for (const address of ['foo', 'mysql://x/y', 'postgresql://', 'postgresql://me:secret@host/my db'])
  test(`DATABASE_URL=${address} is refused by name, without what it may hold`, () => {
    const expected = 'an address such as postgresql://user:password@host/database'
    const problems = [`DATABASE_URL is not right; it must be ${expected}`]
    assert.deepEqual(readConfig({ DATABASE_URL: address }), { problems })
  })

test('an address of PostgreSQL may name a host, or a folder with its socket', () => {
  for (const address of ['postgres://me:secret@host/name', 'postgresql://me@/name?host=%2Frun%2Fpostgres'])
    assert.equal(configFrom({ DATABASE_URL: address }).databaseUrl, address)
})

const noNetworks =
  'it must be addresses or networks such as 10.0.0.0/8, separated by commas, and never everybody (/0)'
const noOrigin = 'it must be an address without a path, such as https://pay.example.com'
const wrong = [
  ['PORT', '80a', 'PORT is "80a"; it must be a whole number from 0 to 65535'],
  ['PORT', '70000', 'PORT is "70000"; it must be a whole number from 0 to 65535'],
  ['TILLGATE_MODE', 'prod', 'TILLGATE_MODE is "prod"; it must be sandbox or live'],
  ...['pay.example.com', 'https://x:99999999', 'https://example.com/pay', 'https://example.com/?a=b'].map(
    (value) => ['BASE_URL', value, `BASE_URL is "${value}"; ${noOrigin}`] as const,
  ),
  ...['foo', '0.0.0.0/0', '::/0', '10.0.0.0/33'].map(
    (value) =>
      ['TILLGATE_TRUSTED_PROXIES', value, `TILLGATE_TRUSTED_PROXIES is "${value}"; ${noNetworks}`] as const,
  ),
  [
    'TILLGATE_SMTP_URL',
    'smtp://till:pa%ss@mail.example.com',
    'TILLGATE_SMTP_URL is not right; it must be an address in which a % of the user or password is written as %25',
  ],
  ['TILLGATE_MOED', 'live', 'TILLGATE_MOED is no setting of Tillgate'],
  ['TILLGATE_LOG', 'warn', 'TILLGATE_LOG is no setting of Tillgate (did you mean TILLGATE_LOG_LEVEL?)'],
] as const
for (const [name, value, problem] of wrong) {
  test(`${name}=${value} is refused by name`, () => {
    assert.deepEqual(readConfig({ [name]: value }), { problems: [problem] })
  })
}

test('all problems are told at once', () => {
  const config = readConfig({ PORT: 'x', TILLGATE_MODE: 'y', TILLGATE_Z: 'z' })
  assert.equal('problems' in config && config.problems.length, 3)
})
