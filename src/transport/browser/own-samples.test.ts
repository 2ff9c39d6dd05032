import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { withOwnSamples } from '#transport/browser/own-samples.ts'

const source = [
  'Say `node bin/tillgate.cjs help`.',
  'curl -s http://127.0.0.1:8080/docs',
  `node -p 'require("./data/sandbox.json").token'`,
  'node bin/tillgate.cjs doctor',
].join('\n')
const project = join(import.meta.dirname, '..', '..', '..')

const usual = { baseUrl: 'http://127.0.0.1:8080', dataFolder: join(project, 'data') }

test('a gateway in the usual place shows the samples as they are written', () => {
  assert.equal(withOwnSamples(source, usual), source)
})

for (const [where, dataFolder, folder] of [
  ['elsewhere', '/srv/till', '/srv/till'],
  ['in the project', join(project, 'other'), './other'],
] as const)
  test(`samples name the address and a data folder ${where}`, () => {
    const place = { baseUrl: 'http://localhost:9000', dataFolder }
    assert.equal(
      withOwnSamples(source, place),
      source
        .replace('127.0.0.1:8080', 'localhost:9000')
        .replace('./data', folder)
        .replace('node bin/tillgate.cjs doctor', `DATA_DIR=${folder} node bin/tillgate.cjs doctor`),
    )
  })

for (const dataFolder of [null, "/srv/Ada's till"])
  test(`samples keep the usual folder where it is ${dataFolder ?? 'not to be shown'}`, () =>
    assert.equal(withOwnSamples(source, { ...usual, dataFolder }), source))
