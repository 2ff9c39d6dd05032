import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formHeaders } from '#transport/browser/form-headers.ts'

test('a form is framed by the registered origins and by nobody else', () => {
  const origins = ['https://shop.example', 'https://till.example']
  const headers = formHeaders({ origins })
  assert.match(
    String(headers['content-security-policy']),
    /frame-ancestors https:\/\/shop\.example https:\/\/till\.example;/,
  )
  assert.equal(headers['x-frame-options'], undefined)
})

test('without registered origins nobody frames it', () => {
  const headers = formHeaders({ origins: [] })
  assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
  assert.equal(headers['x-frame-options'], 'DENY')
})
