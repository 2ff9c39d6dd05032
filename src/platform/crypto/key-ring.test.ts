import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { Secret } from '#kernel/secret.ts'
import { KeyRingRefused, openKeyRing } from '#platform/crypto/key-ring.ts'

async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-ring-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the ring is made once, for its owner only, and found again', async (t) => {
  const folder = await freshFolder(t)
  const made = await openKeyRing(join(folder, 'keys'), 'sandbox')
  const found = await openKeyRing(join(folder, 'keys'), 'sandbox')
  assert.equal(made.id, found.id)
  assert.deepEqual(made.keyedDigest('token', 'x'), found.keyedDigest('token', 'x'))
  assert.equal((await stat(join(folder, 'keys/key-ring.json'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(folder, 'keys'))).mode & 0o777, 0o700)
})

test('twenty nodes that start at once share one ring and leave nothing behind', async (t) => {
  const folder = await freshFolder(t)
  const rings = await Promise.all(Array.from({ length: 20 }, () => openKeyRing(folder, 'sandbox')))
  assert.equal(new Set(rings.map(({ id }) => id)).size, 1)
  assert.equal(new Set(rings.map(({ cardKeys }) => cardKeys.find(1)?.id)).size, 1)
  assert.deepEqual(await readdir(folder), ['card-key-000001.json', 'key-ring.json'])
})

test('a folder that cannot be made is named, and nobody waits for it', async (t) => {
  const folder = await freshFolder(t)
  await writeFile(join(folder, 'file'), '')
  for (const impossible of [join(folder, 'file', 'keys'), '/proc/tillgate-keys'])
    await assert.rejects(openKeyRing(impossible, 'sandbox'), KeyRingRefused)
})

test('keys for different purposes have nothing in common', async (t) => {
  const folder = await freshFolder(t)
  const ring = await openKeyRing(folder, 'sandbox')
  assert.notDeepEqual(ring.keyedDigest('token', 'x'), ring.keyedDigest('sandbox-token', 'x'))
})

test('a digest says nothing about its text, and each ring has its own', async (t) => {
  const folder = await freshFolder(t)
  const [mine, theirs] = [
    await openKeyRing(join(folder, 'a'), 'sandbox'),
    await openKeyRing(join(folder, 'b'), 'sandbox'),
  ]
  const digest = mine.keyedDigest('token', 'open sesame')
  assert.equal(digest.length, 32)
  assert.ok(!digest.includes('sesame'))
  assert.notDeepEqual(theirs.keyedDigest('token', 'open sesame'), digest)
})

test('a sandbox ring is refused in live mode', async (t) => {
  const folder = await freshFolder(t)
  await openKeyRing(folder, 'sandbox')
  await assert.rejects(openKeyRing(folder, 'live'), /made for sandbox mode/)
})

for (const content of ['', '{', '{"format":2}', '{"format":1,"mode":"sandbox","root":"abc"}']) {
  test(`a ring file with ${content || 'nothing'} in it is called damaged and left as it is`, async (t) => {
    const folder = await freshFolder(t)
    const path = join(folder, 'key-ring.json')
    await writeFile(path, content)
    await assert.rejects(openKeyRing(folder, 'sandbox'), KeyRingRefused)
    assert.equal(await readFile(path, 'utf8'), content)
  })
}

test('a ring does not show its secret', async (t) => {
  const folder = await freshFolder(t)
  const ring = await openKeyRing(folder, 'sandbox')
  const { root } = JSON.parse(await readFile(join(folder, 'key-ring.json'), 'utf8')) as { root: string }
  assert.ok(!inspect(ring, { depth: 9, showHidden: true }).includes(root))
  assert.ok(!root.startsWith(ring.id))
})

test('what is sealed opens with the same ring and where it belongs, and nowhere else', async (t) => {
  const [mine, theirs] = await Promise.all(
    [await freshFolder(t), await freshFolder(t)].map((folder) => openKeyRing(folder, 'sandbox')),
  )
  assert.ok(mine && theirs)
  const sealed = mine.seal('webhook-secret', ['account 1'], new Secret('open sesame'))
  assert.ok(!sealed.includes('sesame'))
  assert.equal(mine.unseal('webhook-secret', ['account 1'], sealed)?.reveal(), 'open sesame')
  assert.equal(mine.unseal('webhook-secret', ['account 2'], sealed), null)
  assert.equal(theirs.unseal('webhook-secret', ['account 1'], sealed), null)
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  assert.equal(mine.unseal('webhook-secret', ['account 1'], sealed), null)
})
