import { checkRoles } from './roles.ts'
import type { RuleCase } from './rule-cases.ts'
import { testRule } from './rule-cases.ts'

const slice = 'src/capabilities/consents'

const wrong: readonly (readonly [path: string, imported: string, says: RegExp])[] = [
  ['limits.ts', 'node:crypto', /not allowed here \(node:\*\): a file without suffix is pure/],
  ['limits.ts', '#capabilities/consents/consent.store.ts', /\(store\)/],
  ['limits.ts', '#platform/clock.ts', /\(platform\)/],
  ['limits.ts', '#engine/payments/pay.operation.ts', /\(operation\)/],
  ['limits.ts', 'pg', /\(package with I\/O\)/],
  ['cancel.contract.ts', '#capabilities/consents/consent.store.ts', /\(store\): a contract/],
  ['cancel.contract.ts', '#platform/clock.ts', /\(platform\)/],
  ['cancel.contract.ts', '#capabilities/consents/cancel.operation.ts', /\(operation\)/],
  ['cancel.operation.ts', '#capabilities/wire/envelope.ts', /\(wire\): an operation/],
  ['cancel.operation.ts', '#capabilities/consents/cancel.contract.ts', /\(contract\)/],
  ['cancel.operation.ts', 'fastify', /\(fastify\)/],
  ['consent.store.ts', '#capabilities/consents/cancel.operation.ts', /\(operation\): a store/],
  ['consent.store.ts', '#platform/clock.ts', /\(platform beyond postgres\)/],
  ['consent.follower.ts', '#engine/payments/pay.operation.ts', /\(operation\): a follower/],
  ['expire.task.ts', '#capabilities/consents/consent.store.ts', /\(store\): a task/],
  ['consent.page.ts', 'node:fs', /\(node:\*\): a page/],
  ['consent.page.ts', '#platform/texts.ts', /\(platform\)/],
  ['consent.wire.ts', '#platform/clock.ts', /\(platform\): wire words/],
  ['bank.connector.ts', '#engine/payments/pay.operation.ts', /\(another slice's working file\): a connector/],
]

const right: readonly (readonly [path: string, imported: string])[] = [
  ['limits.ts', '#kernel/money.ts'],
  ['limits.ts', '#engine/fees/quote.ts'],
  ['cancel.contract.ts', '#capabilities/wire/contract.ts'],
  ['cancel.contract.ts', 'typebox'],
  ['cancel.operation.ts', '#capabilities/consents/consent.store.ts'],
  ['cancel.operation.ts', '#engine/payments/pay.operation.ts'],
  ['consent.store.ts', '#platform/postgres/statement.ts'],
  ['consent.follower.ts', '#capabilities/consents/consent.store.ts'],
  ['consent.follower.ts', '#engine/events/append-events.operation.ts'],
  ['consent.follower.ts', '#capabilities/messages/messages-of-links.operation.ts'],
  ['expire.task.ts', '#capabilities/consents/cancel.operation.ts'],
  ['expire.task.ts', '#platform/tasks/task.ts'],
  ['consent.page.ts', '#kernel/html.ts'],
  ['bank.connector.ts', 'node:net'],
  ['bank.connector.ts', '#engine/payments/attempt.ts'],
  ['limits.test.ts', 'node:fs'],
]

const fileFor = (path: string, text: string): RuleCase['files'] => ({ [`${slice}/${path}`]: text })

testRule(checkRoles, [
  ...wrong.map(([path, imported, says]) => ({
    sentence: `${path} may not import ${imported}`,
    files: fileFor(path, `import { a } from '${imported}'`),
    says: [says],
  })),
  ...wrong.map(([path, imported]) => ({
    sentence: `${path} may import types of ${imported}`,
    files: fileFor(path, `import type { A } from '${imported}'`),
  })),
  ...right.map(([path, imported]) => ({
    sentence: `${path} may import ${imported}`,
    files: fileFor(path, `import { a } from '${imported}'`),
  })),
  {
    sentence: 'a store is private to its room, for wiring too',
    files: {
      'src/engine/payments/pay.operation.ts': "import { a } from '#engine/vault/vault.store.ts'",
      'src/apps/server.ts': "import { a } from '#engine/vault/vault.store.ts'",
      'src/engine/vault/deep/open.operation.ts': "import { a } from '#engine/vault/vault.store.ts'",
      'src/engine/payments/pay.test.ts': "import { a } from '#engine/vault/vault.store.ts'",
    },
    says: [
      /pay.operation.ts:1 .*private to src\/engine\/vault/,
      /server.ts:1 .*private to src\/engine\/vault/,
    ],
  },
  {
    sentence: 'the kernel uses nothing of Node',
    files: { 'src/kernel/secret.ts': "import { inspect } from 'node:util'" },
    says: [/the kernel is pure/],
  },
  {
    sentence: 'wiring may import what runs',
    files: {
      'src/platform/log.ts': "import pino from 'pino'\nimport fs from 'node:fs'",
      'src/transport/rest/routes.ts': "import { a } from 'fastify'",
      'src/capabilities/tasks.ts': "import { a } from '#capabilities/consents/expire.task.ts'",
    },
  },
  {
    sentence: 'the set of suffixes is closed',
    files: {
      'src/engine/fees/quote.service.ts': '',
      'src/engine/fees/quote.store.operation.ts': '',
      'src/engine/fees/quote.operation.test.ts': '',
    },
    says: [/'.service' is no role; use one of .contract/, /'.store.operation' is no role/],
  },
  {
    sentence: 'a file that declares what a foreign package exports has no role',
    files: { 'src/capabilities/messages/smpp.d.ts': '' },
  },
])
