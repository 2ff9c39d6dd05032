import assert from 'node:assert/strict'
import { test } from 'node:test'
import { regionCode } from '#engine/merchants/region.ts'

const regions = [
  ['CO', 'CO'],
  ['co', 'CO'],
  ['US-CO', 'CO'],
  ['DC', 'DC'],
  ['PR', 'PR'],
  ['US-PR', 'PR'],
  ['DE-BE', 'DE-BE'],
  ['br-pr', 'BR-PR'],
  ['GB-ENG', 'GB-ENG'],
  ['XX', null],
  ['US-XX', null],
  ['US-US-CO', null],
  ['PR-SJ', null],
  ['Colorado', null],
  ['DE', 'DE'],
  ['FR', null],
  ['', null],
] as const
for (const [text, code] of regions) {
  test(`'${text}' is ${code === null ? 'no region' : `the region ${code}`}`, () => {
    assert.equal(regionCode(text), code)
  })
}
