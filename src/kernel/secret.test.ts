import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { Secret } from '#kernel/secret.ts'

test('a secret shows itself to nobody but the one who asks for it', () => {
  const secret = new Secret('open sesame')
  const shown = [
    `${secret}`,
    String(secret),
    `a ${secret} b`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 5, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    String(Object.values(secret)),
  ]
  for (const text of shown) assert.ok(!text.includes('sesame'), text)
  assert.equal(secret.reveal(), 'open sesame')
})
