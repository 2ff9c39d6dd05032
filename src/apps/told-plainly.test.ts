import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openInstallation } from '#apps/open-installation.ts'
import type { Config } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { emptyPlace } from '../../test/support/empty-place.ts'
import { startPooler } from '../../test/support/pooler.ts'
import { administer } from '../../test/support/test-cluster.ts'

// A PostgreSQL of somebody's own that cannot be used as it is set: each is told in one sentence.

const nameOf = ({ databaseUrl }: Config): string => /\/(test_\w+)/.exec(databaseUrl)?.[1] ?? ''

function open(config: Config): Promise<unknown> {
  return openInstallation({ config, role: 'gateway', log: openLog('silent') })
}

async function assertTold(config: Config, message: RegExp): Promise<void> {
  await assert.rejects(open(config), { name: 'Complaint', message })
}

// With a user of its own, who owns the database and is nobody else.
async function ownedPlace(t: TestContext): Promise<{ config: Config; name: string }> {
  const config = await emptyPlace(t)
  const name = nameOf(config)
  await administer(`create role ${name} login`)
  await administer(`alter database ${name} owner to ${name}`)
  return { config: { ...config, databaseUrl: config.databaseUrl.replace('tillgate@', `${name}@`) }, name }
}

test('an owner without any other right makes an installation', async (t) => {
  const { config } = await ownedPlace(t)
  const installation = await openInstallation({ config, role: 'gateway', log: openLog('silent') })
  await installation.close()
  assert.equal(installation.isNew, true)
})

for (const [what, setting, message] of [
  ['that may only be read', 'set default_transaction_read_only = on', /^PostgreSQL may only be read: /],
  ['whose search_path leads nowhere', 'set search_path = nowhere', /^The search_path of the user /],
  ['that takes no connection', 'connection limit 0', /^PostgreSQL has too few connections: too many conn/],
] as const) {
  test(`a database ${what} is told in a sentence`, async (t) => {
    const { config, name } = await ownedPlace(t)
    await administer(`alter database ${name} ${setting}`)
    await assertTold(config, message)
  })
}

for (const code of ['EACCES', 'ENOENT', 'ENOTDIR']) {
  test(`a file of the program that cannot be read (${code}) is blamed on no setting`, async (t) => {
    const path = '/opt/tillgate/src/apps/server.ts'
    const failure = Object.assign(new Error(`${code}: open '${path}'`), { code, path, syscall: 'open' })
    const opening = { config: await emptyPlace(t), role: 'gateway', log: openLog('silent') } as const
    await assert.rejects(openInstallation({ ...opening, meanwhile: () => Promise.reject(failure) }), failure)
  })
}

test('a user with too few connections is told when they run out, and nothing is left open', async (t) => {
  const { config, name } = await ownedPlace(t)
  await administer(`alter role ${name} connection limit 2`)
  await assertTold(config, /^PostgreSQL has too few connections: .* TILLGATE_POOL_SIZE and up to 32 more\.$/)
  await administer(`drop database ${name}`)
})

test('a pooler that keeps our settings back is told in a sentence', async (t) => {
  const config = await emptyPlace(t)
  const pooler = await startPooler(t, nameOf(config))
  pooler.keepSettingsBack()
  const { connectionString: databaseUrl } = pooler.connection
  await assertTold(
    { ...config, databaseUrl },
    /keeps our settings from PostgreSQL.* Name PostgreSQL itself\.$/,
  )
})

test('a user who may not make a schema is told what is refused', async (t) => {
  const { config, name } = await ownedPlace(t)
  await administer(`alter database ${name} owner to tillgate`)
  await assertTold(config, /^The user of DATABASE_URL may not do what is needed .*: permission denied for /)
})

test('an option in the address that PostgreSQL does not know is told', async (t) => {
  const config = await emptyPlace(t)
  const databaseUrl = `${config.databaseUrl}&options=-c%20no_such_setting=1`
  await assertTold({ ...config, databaseUrl }, /^PostgreSQL refuses a setting .*"no_such_setting"/)
})

test('a certificate file that is not there, and a server without TLS, are told', async (t) => {
  const config = await emptyPlace(t)
  for (const [query, message] of [
    [
      'sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      /^A file that DATABASE_URL names .* \/nowhere\/ca.pem/,
    ],
    ['sslmode=verify-full', /^PostgreSQL cannot be used: The server does not support SSL/],
  ] as const)
    await assertTold({ ...config, databaseUrl: `${config.databaseUrl}&${query}` }, message)
})

for (const encoding of ['LATIN1', 'SQL_ASCII']) {
  test(`an empty database with the encoding ${encoding} becomes no installation`, async (t) => {
    const config = await emptyPlace(t)
    const name = `${nameOf(config)}_${encoding.toLowerCase()}`
    const how = `encoding '${encoding}' locale_provider libc locale 'C' template template0`
    await administer(`create database ${name} ${how}`)
    const databaseUrl = config.databaseUrl.replace(nameOf(config), name)
    await assertTold({ ...config, databaseUrl }, new RegExp(`has the encoding ${encoding}, `))
  })
}
