import assert from 'node:assert/strict'
import { createDecipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openRecord, sealRecord, versionOfRecord } from '#platform/crypto/sealed-record.ts'

const seal = { key: randomBytes(32), keyVersion: 258, belonging: ['card', 'ring', '1', '2'] }
const plaintext = Buffer.from('twenty secret bytes!')

test('a record opens where it belongs', () => {
  assert.deepEqual(openRecord(seal, sealRecord(seal, plaintext)), plaintext)
})

for (const [whose, belonging] of [
  ['short names', ['card', 'ring', '1', '2']],
  ['a long name', ['card', 'r'.repeat(300), '1', '2']],
  ['a name whose length takes three bytes', ['card', 'r'.repeat(65_541), '1', '2']],
  ['a name with umlauts', ['card', 'Müller', '1', '2']],
] as const) {
  test(`a record of ${whose} is laid out as it is written down, so that others can open it too`, () => {
    const record = sealRecord({ ...seal, belonging }, plaintext)
    assert.equal(record.length, 1 + 1 + 4 + 12 + plaintext.length + 16)
    assert.deepEqual([...record.subarray(0, 6)], [1, 1, 0, 0, 1, 2])
    const decipher = createDecipheriv('aes-256-gcm', seal.key, record.subarray(6, 18))
    const parts = [...belonging, '258']
      .map((part) => Buffer.from(part))
      .flatMap((part) => [lengthOf(part), part])
    decipher.setAAD(Buffer.concat(parts)).setAuthTag(record.subarray(-16))
    const opened = Buffer.concat([decipher.update(record.subarray(18, -16)), decipher.final()])
    assert.deepEqual(opened, plaintext)
  })
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}

test('no two records of one text are alike', () => {
  const records = Array.from({ length: 100 }, () => sealRecord(seal, plaintext).toString('hex'))
  assert.equal(new Set(records).size, 100)
})

test('a record with any bit turned does not open', () => {
  const record = sealRecord(seal, plaintext)
  for (let bit = 0; bit < record.length * 8; bit += 1) {
    const turned = Buffer.from(record)
    turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    assert.equal(openRecord(seal, turned), null, `bit ${bit}`)
    const version = versionOfRecord(turned)
    if (version !== null)
      assert.equal(openRecord({ ...seal, keyVersion: version }, turned), null, `bit ${bit}`)
  }
})

test('a record that was cut short or lengthened does not open', () => {
  const record = sealRecord(seal, plaintext)
  for (let length = 0; length < record.length; length += 1) {
    assert.equal(openRecord(seal, record.subarray(0, length)), null)
  }
  assert.equal(openRecord(seal, Buffer.concat([record, Buffer.alloc(1)])), null)
})

for (const [what, other] of [
  ['another key', { key: randomBytes(32) }],
  ['another version', { keyVersion: 259 }],
  ['another purpose', { belonging: ['dek', 'ring', '1', '2'] }],
  ['another owner', { belonging: ['card', 'ring', '1', '3'] }],
  ['the same letters divided otherwise', { belonging: ['card', 'ring1', '', '2'] }],
  ['a part less', { belonging: ['card', 'ring', '1'] }],
] as const) {
  test(`a record does not open with ${what}`, () => {
    assert.equal(openRecord({ ...seal, ...other }, sealRecord(seal, plaintext)), null)
  })
}
