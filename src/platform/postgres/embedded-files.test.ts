import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import {
  checkVersion,
  giveFilesTo,
  makeSocketFolder,
  placeIn,
  rotateLog,
} from '#platform/postgres/embedded-files.ts'

const isRoot = process.geteuid?.() === 0
const rootOnly = { skip: isRoot ? false : 'needs root, because only root may give files away' }

function makePlace(t: TestContext) {
  const place = placeIn(fs.mkdtempSync(join(tmpdir(), 'tillgate-test-')))
  fs.mkdirSync(join(place.cluster, 'base'), { recursive: true })
  fs.writeFileSync(join(place.cluster, 'PG_VERSION'), '17\n')
  const socketFolder = join(tmpdir(), place.clusterName)
  t.after(() => {
    for (const folder of [place.folder, socketFolder]) fs.rmSync(folder, { recursive: true, force: true })
  })
  return { ...place, socketFolder }
}

test('says which version wrote the files when it cannot read them', (t) => {
  const place = makePlace(t)
  assert.throws(() => checkVersion(place, '18'), /written by PostgreSQL 17, .* brings PostgreSQL 18/)
  assert.doesNotThrow(() => checkVersion(place, '17'))
})

test('finds the same socket folder again', (t) => {
  const place = makePlace(t)
  assert.equal(makeSocketFolder(place), place.socketFolder)
  assert.equal(makeSocketFolder(placeIn(place.folder)), place.socketFolder)
  assert.equal(fs.statSync(place.socketFolder).mode & 0o777, 0o700)
})

for (const [what, plant] of [
  ['a folder that others may enter', (path: string) => fs.mkdirSync(path, { mode: 0o755 })],
  ['a link to a folder', (path: string) => fs.symlinkSync('/tmp', path)],
  ['a file', (path: string) => fs.writeFileSync(path, '')],
] as const) {
  test(`refuses ${what} in the place of the socket folder`, (t) => {
    const place = makePlace(t)
    plant(place.socketFolder)
    assert.throws(() => makeSocketFolder(place), /belongs to another user or is open to others/)
  })
}

test("refuses another user's folder in the place of the socket folder", rootOnly, (t) => {
  const place = makePlace(t)
  fs.mkdirSync(place.socketFolder, { mode: 0o700 })
  fs.chownSync(place.socketFolder, 12345, 12345)
  assert.throws(() => makeSocketFolder(place), /belongs to another user or is open to others/)
})

test('finishes a change of owner that was killed half-way', rootOnly, (t) => {
  const place = makePlace(t)
  fs.chownSync(join(place.cluster, 'base'), 65534, 65534)
  fs.writeFileSync(join(place.folder, 'changing-owner'), '')
  giveFilesTo(place, 0)
  assert.equal(fs.statSync(join(place.cluster, 'base')).uid, 0)
  assert.equal(fs.existsSync(join(place.folder, 'changing-owner')), false)
})

test('puts a log aside that has grown beyond five megabytes', (t) => {
  const place = makePlace(t)
  fs.writeFileSync(place.log, Buffer.alloc(5 * 1024 * 1024 + 1))
  rotateLog(place)
  assert.equal(fs.existsSync(place.log), false)
  fs.writeFileSync(place.log, 'short')
  rotateLog(place)
  assert.equal(fs.readFileSync(place.log, 'utf8'), 'short')
})
