import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillBody, judgeBody, textOf } from '#capabilities/links/link-text.ts'

const named = (body: string) => ({ body, named: 'Words' })

const facts = {
  merchant: 'Corner Books',
  amount: '$125.00',
  dueOn: 'Nov 20, 2026',
  expiresAt: 'Dec 1, 2030, 11:59 PM',
}

describe('a text has at most 1,600 characters, with the link and the expiry', () => {
  // As docs/text-to-pay.md reckons: what is left is 1,556 and, with an expiry of 21 letters, 1,525.
  const link = `https://pay.example.com/sw/${'x'.repeat(16)}`
  for (const [sending, left] of [
    ['sms', 1_556],
    ['text', 1_525],
  ] as const) {
    test(`${sending} leaves ${left} of them`, () => {
      const full = textOf(sending, named('x'.repeat(left)), { ...facts, link })
      assert.equal(full.ok && full.value.length, 1_600)
      const over = textOf(sending, named('x'.repeat(left + 1)), { ...facts, link })
      assert(!over.ok)
      assert.equal(
        over.refusal.details['problem'],
        'Words makes a message of more than 1600 characters: 1601 with link, expiry and ' +
          'placeholders filled in',
      )
    })
  }
})

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
    test(JSON.stringify(body), () => assert.equal(judgeBody(named(body), { ...facts, dueOn: '' }).ok, false))
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
    test(JSON.stringify(body), () =>
      assert.deepEqual(judgeBody(named(body), facts), { ok: true, value: null }),
    )
})

test('a merchant whose name is an address may name itself, and no more', () => {
  const book = { ...facts, merchant: 'Books.example' }
  assert.equal(judgeBody(named('||Merch1|| thanks you'), book).ok, true)
  assert.equal(judgeBody(named('||Merch1||/pay'), book).ok, false)
})

test('what is no placeholder stays as it is', () => {
  assert.equal(fillBody('||constructor|| ||amt||', { ...facts, link: '' }), '||constructor|| $125.00')
})
