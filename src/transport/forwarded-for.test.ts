import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainForwardedFor, tidyForwardedFor } from '#transport/forwarded-for.ts'

const cases: readonly [told: string, plain: string, what: string][] = [
  ['203.0.113.9', '203.0.113.9', 'an address'],
  ['203.0.113.9:51234', '203.0.113.9', 'an address with a port'],
  ['2001:db8::9', '2001:db8::9', 'an address of IPv6, whose end is no port'],
  ['[2001:db8::9]', '2001:db8::9', 'brackets around it'],
  ['[2001:db8::9]:443', '2001:db8::9', 'brackets and a port'],
  ['203.0.113.9:1, 10.0.0.7:2', '203.0.113.9, 10.0.0.7', 'a proxy behind a proxy'],
  ['unknown', '', 'a proxy that does not say'],
  ['203.0.113.9, unknown', '', 'what stands before nobody knows whom'],
  ['unknown, 203.0.113.9', '203.0.113.9', 'a caller who made up what stands before'],
  ['<script>:80, 203.0.113.9:80', '203.0.113.9', 'a caller who made up worse'],
  ['203.0.113.999:80', '', 'what only looks like an address'],
  ['', '', 'nothing'],
]
for (const [told, plain, what] of cases)
  test(`X-Forwarded-For: ${told} (${what}) is read as ${plain === '' ? 'the proxy itself' : plain}`, () => {
    assert.equal(plainForwardedFor(told), plain)
    const headers = { 'x-forwarded-for': told }
    tidyForwardedFor(headers)
    assert.deepEqual(headers, plain === '' ? {} : { 'x-forwarded-for': plain })
  })
