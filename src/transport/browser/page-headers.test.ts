import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bankHeaders,
  builderHeaders,
  docsHeaders,
  formHeaders,
  inboxHeaders,
  mailHeaders,
  outboxHeaders,
  receiptHeaders,
} from '#transport/browser/page-headers.ts'

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

const style = '<style>b{}</style>'
for (const [page, headers] of [
  ['the reference', docsHeaders],
  ['the workbench for forms', builderHeaders],
  ['the inbox', inboxHeaders],
  ['the outbox', outboxHeaders],
  ['an e-mail in the outbox', mailHeaders],
  ["a bank's page", bankHeaders(style)],
  ['a form', formHeaders({ origins: [] })],
  ['a receipt', receiptHeaders(style, { origins: [] })],
] as const) {
  test(`${page} forbids whatever it does not name, and tells nobody where its visitor came from`, () => {
    const policy = String(headers['content-security-policy']).split('; ')
    assert.equal(policy[0], "default-src 'none'")
    assert(policy.includes("base-uri 'none'"))
    for (const named of ['form-action', 'frame-ancestors'])
      assert(
        policy.some((directive) => directive.startsWith(`${named} `)),
        named,
      )
    assert.doesNotMatch(policy.join('; '), /script-src(?! 'self';)|unsafe-eval|https?:/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['permissions-policy']), /^camera=\(\), microphone=\(\), .*usb=\(\)$/)
    const isInSandbox = policy.some((directive) => directive.startsWith('sandbox'))
    assert.equal(headers['cross-origin-opener-policy'], isInSandbox ? undefined : 'same-origin')
  })
}
