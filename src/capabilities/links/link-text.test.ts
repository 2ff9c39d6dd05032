import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillBody, judgeBody } from '#capabilities/links/link-text.ts'

const facts = {
  merchant: 'Corner Books',
  amount: '$125.00',
  dueOn: 'Nov 20, 2026',
  expiresAt: 'Dec 1, 2030, 11:59 PM',
}

describe('words that lead elsewhere than to the link are refused', () => {
  const bodies = [
    'Pay at evil.com',
    'Pay at Evil.COM.',
    'evil.com:8443',
    'evil.com?pay=1',
    'evil.com#pay',
    'http:/evil',
    String.raw`https:\\evil`,
    'ftp://evil',
    'intent:pay',
    'tel:+12125550123',
    'javascript:alert(1)',
    'Pay at 203.0.113.9',
    '203.0.113.9:80/pay',
    'xn--pypal-4ve.xn--p1ai',
    'п\u0430ypal.рф',
    'evil\uff0ecom',
    'evil\u3002com',
    'ev\u200bil.c\u00adom',
    'ada@evil.com',
    '||PayLink||@evil.com',
    'evil.com||PayLink||',
    'https://evil||PayLink||',
    '||Merch1||.com',
    '||ExpOn||.com/pay',
    'https:||Nothing||//evil',
    'evil||DueOn||.com',
    'evil**DueOn**.com',
  ]
  for (const body of bodies)
    test(JSON.stringify(body), () => assert.equal(judgeBody(body, { ...facts, dueOn: '' }).ok, false))
})

describe('words that lead nowhere else are sent', () => {
  const bodies = [
    'Please pay ||Amt|| by ||DueOn||: ||PayLink||.',
    '**Merch1** asks for **Amt**, until **ExpOn**',
    'Thank you, Dr. Miller. See you at 5 p.m. in St. Louis!',
    'Order 12.50: 3/4 done, 1.5 kg, e.g. apples; either/or',
    'Note: bring your card\nTotal: $1,250.00',
    '(||PayLink||)',
  ]
  for (const body of bodies)
    test(JSON.stringify(body), () => assert.deepEqual(judgeBody(body, facts), { ok: true, value: null }))
})

test('a merchant whose name is an address may name itself, and no more', () => {
  const named = { ...facts, merchant: 'Books.example' }
  assert.equal(judgeBody('||Merch1|| thanks you', named).ok, true)
  assert.equal(judgeBody('||Merch1||/pay', named).ok, false)
})

test('what is no placeholder stays as it is', () => {
  assert.equal(fillBody('||constructor|| ||amt||', { ...facts, link: '' }), '||constructor|| $125.00')
})
