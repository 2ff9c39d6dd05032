import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countryOfPhone, homeCountry, readEmail, readPhone } from '#capabilities/messages/recipient.ts'

describe('a phone number', () => {
  const taken: readonly [string, string, string][] = [
    ['+12125550123', 'US', '+12125550123'],
    ['(212) 555-0123', 'US', '+12125550123'],
    ['212.555.0123', 'CA', '+12125550123'],
    [' 1 212 555 0123 ', 'US', '+12125550123'],
    ['030 901820', 'DE', '+4930901820'],
    ['+44 20 7946 0018', 'US', '+442079460018'],
    ['2125550123', 'nowhere', '+12125550123'],
  ]
  for (const [typed, country, phone] of taken) {
    test(`"${typed}" in ${country} is ${phone}`, () => {
      const read = readPhone(typed, country)
      assert(read.ok)
      assert.equal(read.value, phone)
    })
  }

  const refused: readonly [string, RegExp][] = [
    ['', /is missing/],
    ['   ', /is missing/],
    ['555', /is too short/],
    ['+1212555012345678', /is too long/],
    ['+999 555 0123', /prefix of no country/],
    ['212-FLOWERS', /what no phone number contains/],
    ['+12125550123;ext=4', /what no phone number contains/],
    ['+1 212 555 0123\r\nX: 1', /what no phone number contains/],
    ['+1 012 555 0123', /no number that a phone can have/],
    ['1'.repeat(41), /longer than 40/],
  ]
  for (const [typed, problem] of refused) {
    test(`${JSON.stringify(typed)} ${problem.source}`, () => {
      const read = readPhone(typed, 'US')
      assert(!read.ok)
      assert.match(String(read.refusal.details['problem']), problem)
    })
  }

  test('tells its country, also among the islands that share a prefix with the United States', () => {
    assert.equal(countryOfPhone('+12125550123'), 'US')
    assert.equal(countryOfPhone('+14165550123'), 'CA')
    assert.equal(countryOfPhone('+18765550123'), 'JM')
    assert.equal(countryOfPhone('+442079460018'), 'GB')
    assert.equal(countryOfPhone('+883510000000094'), '')
  })

  test('is read by the country of the merchant record', () => {
    assert.deepEqual(['', 'CO', 'PR', 'DE-BE'].map(homeCountry), ['US', 'US', 'US', 'DE'])
  })
})

describe('an e-mail address', () => {
  const taken: readonly [string, string][] = [
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Miller+shop@Example.COM ', 'Ada.Miller+shop@example.com'],
    ['ada@büro.example', 'ada@xn--bro-hoa.example'],
    ["o'hara@mail.example.org", "o'hara@mail.example.org"],
  ]
  for (const [typed, address] of taken) {
    test(`${typed} is ${address}`, () => {
      const read = readEmail(typed)
      assert(read.ok)
      assert.equal(read.value, address)
    })
  }

  const refused: readonly [string, RegExp][] = [
    ['', /is missing/],
    ['ada', /has no @/],
    ['@example.com', /before the @/],
    ['ada@', /behind the @/],
    ['ada@localhost', /behind the @/],
    ['ada@127.0.0.1', /behind the @/],
    ['ada@[127.0.0.1]', /behind the @/],
    ['ada@example..com', /behind the @/],
    ['ada@example.com:25', /behind the @/],
    ['.ada@example.com', /before the @/],
    ['Ada <ada@example.com>', /before the @|behind the @/],
    ['ada@example.com, bob@example.com', /before the @/],
    ['ada@example.com\r\nBcc: bob@example.com', /before the @/],
    ['ada\n@example.com', /before the @/],
    ['"a b"@example.com', /before the @/],
    [`${'a'.repeat(65)}@example.com`, /more than 64/],
    [`ada@${'a.'.repeat(130)}com`, /longer than 254/],
  ]
  for (const [typed, problem] of refused) {
    test(`${JSON.stringify(typed)} ${problem.source}`, () => {
      const read = readEmail(typed)
      assert(!read.ok)
      assert.match(String(read.refusal.details['problem']), problem)
    })
  }
})
