import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openEnvelope, rewrap, sealEnvelope } from '#platform/crypto/envelope.ts'

const wrappingKey = (version: number) => ({
  version,
  id: String(version),
  key: createSecretKey(randomBytes(32)),
})
const [first, second] = [wrappingKey(1), wrappingKey(2)]
const mine = { purpose: 'card', owner: ['ring', '1', '7'] } as const
const theirs = { purpose: 'card', owner: ['ring', '2', '7'] } as const
const plaintext = Buffer.from('a secret')

test('an envelope opens for its owner, and after its key was wrapped anew', () => {
  const envelope = sealEnvelope(first, mine, plaintext)
  assert.deepEqual(openEnvelope(first, mine, envelope), plaintext)
  const wrapped = rewrap({ from: first, to: second }, mine, envelope.wrapped)
  assert(wrapped)
  assert.deepEqual(openEnvelope(second, mine, { ...envelope, wrapped }), plaintext)
  assert.equal(openEnvelope(first, mine, { ...envelope, wrapped }), null)
})

test('neither half of an envelope opens with the other half of another', () => {
  const [one, other] = [sealEnvelope(first, mine, plaintext), sealEnvelope(first, mine, plaintext)]
  assert.equal(openEnvelope(first, mine, { ...one, wrapped: other.wrapped }), null)
  assert.equal(openEnvelope(first, mine, { ...one, sealed: other.sealed }), null)
  assert.equal(openEnvelope(first, mine, { sealed: one.wrapped, wrapped: one.sealed }), null)
})

test('an envelope of somebody else is neither opened nor wrapped anew', () => {
  const envelope = sealEnvelope(first, mine, plaintext)
  assert.equal(openEnvelope(first, theirs, envelope), null)
  assert.equal(rewrap({ from: first, to: second }, theirs, envelope.wrapped), null)
  assert.equal(rewrap({ from: second, to: first }, mine, envelope.wrapped), null)
})
