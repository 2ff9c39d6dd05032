import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatewayAddress } from '#apps/gateway-address.ts'

test('the address of a gateway is the one that is set, else the one it wrote down, else none', (t) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(dataFolder, { recursive: true, force: true }))
  const place = { baseUrl: '', dataFolder }
  assert.equal(gatewayAddress(place), '')
  writeFileSync(join(dataFolder, 'sandbox.json'), '{"baseUrl":"http://127.0.0.1:40001"}')
  assert.equal(gatewayAddress(place), 'http://127.0.0.1:40001')
  const baseUrl = 'https://pay.example.com'
  assert.equal(gatewayAddress({ ...place, baseUrl }), baseUrl)
})
