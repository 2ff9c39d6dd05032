import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { KeyRingRefused } from '#platform/crypto/key-file.ts'
import { WrappingKeys } from '#platform/crypto/wrapping-keys.ts'

async function freshPlace(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-wrapping-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return { folder, name: 'card-key', mode: 'sandbox' as const }
}

test('the first version is made once, for its owner only, and found again', async (t) => {
  const place = await freshPlace(t)
  const nodes = await Promise.all(Array.from({ length: 20 }, () => WrappingKeys.open(place)))
  assert.equal(new Set(nodes.map((keys) => keys.find(1)?.id)).size, 1)
  assert.deepEqual(await readdir(place.folder), ['card-key-000001.json'])
  assert.equal((await stat(join(place.folder, 'card-key-000001.json'))).mode & 0o777, 0o600)
})

test('a version that another node has made is found when it is met', async (t) => {
  const place = await freshPlace(t)
  const [left, right] = [await WrappingKeys.open(place), await WrappingKeys.open(place)]
  const made = await left.make(2)
  assert.equal(right.find(2), null)
  const met = await Promise.all(Array.from({ length: 9 }, () => right.need(2)))
  assert.ok(met.every(({ id }) => id === made.id))
  assert.deepEqual(right.versions, [1, 2])
})

test('twenty nodes that make the next version at once make one', async (t) => {
  const place = await freshPlace(t)
  const nodes = await Promise.all(Array.from({ length: 20 }, () => WrappingKeys.open(place)))
  const made = await Promise.all(nodes.map((keys) => keys.make(2)))
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  assert.notEqual(made[0]?.id, nodes[0]?.find(1)?.id)
  assert.deepEqual((await readdir(place.folder)).toSorted(), ['card-key-000001.json', 'card-key-000002.json'])
})

test('a version that is lost is named with the file to restore', async (t) => {
  const keys = await WrappingKeys.open(await freshPlace(t))
  await assert.rejects(keys.need(7), /card-key-000007\.json is missing\. Restore it from your backup/)
})

test('a folder that lost its keys takes none away, is told of once, and is noticed when back', async (t) => {
  const place = await freshPlace(t)
  const [node, elsewhere] = [await WrappingKeys.open(place), await WrappingKeys.open(place)]
  const told: string[] = []
  node.watch({ onLost: (problem) => told.push(problem), onFound: () => told.push('found') })
  const before = await node.make(2)
  await elsewhere.make(3)
  await rename(place.folder, `${place.folder}-away`)
  for (const isEmptied of [false, true]) {
    if (isEmptied) await mkdir(place.folder)
    await node.load([3])
    await assert.rejects(node.need(3), /card-key-000003\.json is missing/)
    assert.deepEqual([node.versions, node.find(2)], [[1, 2], before])
  }
  assert.match(told.join('; '), /^[^;]*card-key-000002\.json is missing\. Restore it from your backup\.$/)
  await rm(place.folder, { recursive: true })
  await rename(`${place.folder}-away`, place.folder)
  await node.need(3)
  assert.deepEqual([node.versions, told.slice(1)], [[1, 2, 3], ['found']])
})

test('a version that another node has destroyed is forgotten at the next look', async (t) => {
  const place = await freshPlace(t)
  const [node, elsewhere] = [await WrappingKeys.open(place), await WrappingKeys.open(place)]
  await elsewhere.make(2)
  await elsewhere.destroy(1)
  await node.need(2)
  assert.deepEqual(node.versions, [2])
})

test('a destroyed version is gone, and the last one cannot be destroyed', async (t) => {
  const place = await freshPlace(t)
  const keys = await WrappingKeys.open(place)
  await assert.rejects(keys.destroy(1), /the last key is never destroyed/)
  await keys.make(2)
  assert.equal(await keys.destroy(1), true)
  assert.equal(await keys.destroy(1), false)
  assert.deepEqual([keys.versions, await readdir(place.folder)], [[2], ['card-key-000002.json']])
})

test('a sandbox key is refused in live mode, at the start and when it is met', async (t) => {
  const place = await freshPlace(t)
  const live = { ...place, mode: 'live' as const }
  await WrappingKeys.open(place)
  await assert.rejects(WrappingKeys.open(live), /made for sandbox mode and is never used in live mode/)
  await rename(join(place.folder, 'card-key-000001.json'), join(place.folder, 'kept'))
  const keys = await WrappingKeys.open(live)
  const stranger = (await readFile(join(place.folder, 'kept'), 'utf8')).replace(
    '"version": 1',
    '"version": 2',
  )
  await writeFile(join(place.folder, 'card-key-000002.json'), stranger)
  await assert.rejects(keys.need(2), /made for sandbox mode/)
})

test('a key under the name of another version is refused', async (t) => {
  const place = await freshPlace(t)
  await WrappingKeys.open(place)
  await rename(join(place.folder, 'card-key-000001.json'), join(place.folder, 'card-key-000002.json'))
  await assert.rejects(WrappingKeys.open(place), /holds version 1\. Files of keys are never renamed/)
})

for (const content of ['', '{', '{"format":1}', '{"format":1,"mode":"sandbox","version":1,"key":"ab"}']) {
  test(`a key file with ${content || 'nothing'} in it is called damaged and left as it is`, async (t) => {
    const place = await freshPlace(t)
    const path = join(place.folder, 'card-key-000001.json')
    await writeFile(path, content)
    await assert.rejects(WrappingKeys.open(place), KeyRingRefused)
    assert.equal(await readFile(path, 'utf8'), content)
  })
}

test('keys do not show their secret', async (t) => {
  const place = await freshPlace(t)
  const keys = await WrappingKeys.open(place)
  const text = await readFile(join(place.folder, 'card-key-000001.json'), 'utf8')
  const { key } = JSON.parse(text) as { key: string }
  const shown = inspect([keys, keys.find(1)], { depth: 9, showHidden: true }) + JSON.stringify(keys.find(1))
  assert.ok(!shown.includes(key) && !shown.includes(Buffer.from(key, 'hex').toString('base64')))
  assert.ok(!key.includes(keys.find(1)?.id ?? key))
})
