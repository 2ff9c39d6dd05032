import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  classOf,
  type Decline,
  decideRetry,
  triedOut,
  triesMaxOn,
} from '#capabilities/recurring/retry-rule.ts'

const day = (text: string) => Temporal.PlainDate.from(text)

const first: Decline = {
  code: '51',
  advice: '',
  brand: 'VI',
  on: day('2027-01-31'),
  tries: 1,
  declines: 1,
  firstOn: day('2027-01-31'),
}

describe('the class of a decline', () => {
  const table: readonly (readonly [codes: string, string])[] = [
    ['04 07 12 14 15 41 43 46 54 57 82', 'hard'],
    ['R0 R1 R3', 'stop'],
    ['05 51 61 65 91 96 01 02 10 19', 'soft'],
  ]
  for (const [codes, expected] of table) {
    for (const code of codes.split(' ')) {
      test(`${code} is ${expected}`, () => {
        assert.equal(classOf({ code, advice: '', brand: 'VI' }), expected)
      })
    }
  }

  test('Mastercard advice 03 and 21 stops the plan, whatever the code', () => {
    for (const advice of ['03', '21']) {
      assert.equal(classOf({ code: '51', advice, brand: 'MC' }), 'stop')
      assert.equal(classOf({ code: '51', advice, brand: 'VI' }), 'soft', 'of other networks it says nothing')
    }
  })
})

describe('a decline for want of funds on 31 January', () => {
  const table: readonly (readonly [declines: number, on: string, next: string | null])[] = [
    [1, '2027-01-31', '2027-02-01'],
    [2, '2027-02-01', '2027-02-03'],
    [3, '2027-02-03', '2027-02-05'],
    [4, '2027-02-05', '2027-02-07'],
    [5, '2027-02-07', null],
    // Tried late: never on the same day again.
    [1, '2027-02-09', '2027-02-10'],
    [3, '2027-02-09', '2027-02-10'],
  ]
  for (const [declines, on, next] of table) {
    test(`decline ${declines} on ${on}: ${next ?? 'no more'}`, () => {
      const decision = decideRetry({ ...first, declines, tries: declines, on: day(on) })
      assert.equal(decision.kind === 'retry' ? decision.on.toString() : null, next)
      if (next === null) assert.equal(decision.kind, 'exhausted')
    })
  }

  test('says why and when', () => {
    assert.equal(decideRetry(first).because, 'Declined 51: retry 1 of 4 on 2027-02-01')
    assert.equal(decideRetry({ ...first, declines: 5 }).because, 'Declined 51: all 4 retries are used up')
  })

  test('Mastercard says how long to wait', () => {
    const advised = { ...first, brand: 'MC', advice: '27' } as const
    const decision = decideRetry(advised)
    assert.equal(
      decision.because,
      'Declined 51, advice 27 (try again after 4 days): retry 1 of 4 on 2027-02-04',
    )
    const long = decideRetry({ ...advised, advice: '30' })
    assert.equal(long.kind === 'retry' ? long.on.toString() : '', '2027-02-10')
  })

  test('never more tries than the network allows', () => {
    assert.equal(decideRetry({ ...first, tries: 20 }).kind, 'retry')
    const decision = decideRetry({ ...first, tries: 21 })
    assert.deepEqual([decision.kind, decision.because], ['exhausted', 'Declined 51: Visa allows 21 tries'])
  })
})

test('a ceiling binds whoever asks, and says whose it is', () => {
  assert.equal(triedOut({ tries: 14, brand: 'AE' }, day('2027-01-01')), null)
  assert.equal(
    triedOut({ tries: 15, brand: 'AE' }, day('2027-01-01')),
    'tried 15 times, and American Express allows no more',
  )
})

test('the ceilings of the networks go by date', () => {
  assert.equal(triesMaxOn('VI', day('2021-04-16')), 15)
  assert.equal(triesMaxOn('VI', day('2021-04-17')), 16)
  assert.equal(triesMaxOn('VI', day('2025-05-24')), 16)
  assert.equal(triesMaxOn('VI', day('2025-05-25')), 21)
  assert.equal(triesMaxOn('MC', day('2023-10-31')), 15)
  assert.equal(triesMaxOn('MC', day('2027-01-01')), 35)
  assert.equal(triesMaxOn('AE', day('2027-01-01')), 15)
})

test('a hard decline is never tried again, and a stop ends the plan', () => {
  assert.equal(
    decideRetry({ ...first, code: '41' }).because,
    'Declined 41: it is never tried again with this card',
  )
  assert.equal(decideRetry({ ...first, code: 'R1' }).because, 'Declined R1: the plan ends')
})
