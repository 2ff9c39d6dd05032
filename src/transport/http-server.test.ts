import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transportSecurity } from '#transport/http-server.ts'

test('who came by https once is told to come by nothing else', () => {
  assert.match(String(transportSecurity('https://pay.example')['strict-transport-security']), /max-age=\d{8}/)
  assert.deepEqual(transportSecurity('http://127.0.0.1:8080'), {})
})
