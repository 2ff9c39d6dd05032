import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LedTo, parseLedTo, printLedTo } from '#engine/idempotency/led-to.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { acquirerRef } from '../../../test/crash/attempt-builder.ts'

const table: readonly (readonly [string, LedTo])[] = [
  ['0193a1b2c3d4e5f601020304', { kind: 'attempt', ref: acquirerRef('0193a1b2c3d4e5f601020304') }],
  ['batch:17:2', { kind: 'batch', batch: 17n, fence: 2 }],
  ['run:9007199254740993', { kind: 'run', run: 9_007_199_254_740_993n }],
  ['form:00ff10203040506070809:3', formOf(merchantNumber(3))],
  ['form:00ff10203040506070809', formOf(null)],
  ['link:5', { kind: 'link', link: 5n }],
  ['link-again:5', { kind: 'link-again', link: 5n }],
]

describe('what a key has led to', () => {
  for (const [text, ledTo] of table)
    test(`${text} is stored for one and the same thing`, () => {
      assert.equal(printLedTo(ledTo), text)
      assert.deepEqual(parseLedTo(text), ledTo)
    })

  for (const text of ['plan:5', 'batch:x:1', 'link:a'])
    test(`${text}, which nobody has written, is taken for nothing`, () => {
      assert.throws(() => parseLedTo(text))
    })
})

function formOf(merchant: MerchantNumber | null): LedTo {
  return { kind: 'form', digest: '00ff10203040506070809', merchant }
}
