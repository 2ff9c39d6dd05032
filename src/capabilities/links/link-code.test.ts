import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, digestOfCode } from '#capabilities/links/link-code.operation.ts'
import { codeInAddress, readCode } from '#capabilities/links/link-code.ts'
import type { LinkId } from '#capabilities/links/link.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const id = (value: number) => BigInt(value) as LinkId

test('a code follows from the id, has 80 bits and no repetition', () => {
  const needs = world()
  const codes = Array.from({ length: 20_000 }, (_, at) => codeOf(needs, { linkId: id(at) }).reveal())
  assert.equal(new Set(codes).size, codes.length)
  for (const code of codes.slice(0, 100)) assert.match(code, /^[0-9a-hjkmnp-tv-z]{16}$/)
  assert.equal(codeOf(needs, { linkId: id(7) }).reveal(), codes[7])
})

test('every place of a code takes every letter, about as often', () => {
  const needs = world()
  const counts = new Map<string, number>()
  for (let at = 0; at < 6_400; at++)
    for (const [place, letter] of Array.from(codeOf(needs, { linkId: id(at) }).reveal()).entries())
      counts.set(`${place}${letter}`, (counts.get(`${place}${letter}`) ?? 0) + 1)
  assert.equal(counts.size, 16 * 32)
  for (const [where, count] of counts) assert(count > 120 && count < 290, `${where}: ${count}`)
})

test('what is stored does not tell the code', () => {
  const needs = world()
  const code = codeOf(needs, { linkId: id(7) })
  assert.equal(digestOfCode(needs, code).length, 32)
  assert(!digestOfCode(needs, code).toString('latin1').includes(code.reveal()))
})

const typed: readonly [string, string | null][] = [
  ['7k3m9qxv2tr8n4bd', '7k3m9qxv2tr8n4bd'],
  ['7K3M9QXV2TR8N4BD', '7k3m9qxv2tr8n4bd'],
  ['OK3M9QXV2TR8N4BL', '0k3m9qxv2tr8n4b1'],
  ['7k3m9qxv2tr8n4bd.', '7k3m9qxv2tr8n4bd'],
  ['7k3m9qxv2tr8n4bd).', '7k3m9qxv2tr8n4bd'],
  ['7k3m9qxv2tr8n4b', null],
  ['7k3m9qxv2tr8n4b.d', null],
  ['7k3m9qxv2tr8n4bdd', null],
  ['7k3m9qxv2tr8n4bu', null],
  ['', null],
]
for (const [text, code] of typed) {
  test(`"${text}" is read as ${code ?? 'no code'}`, () => {
    assert.equal(readCode(text)?.reveal() ?? null, code)
  })
}

test('the code is found in an address, whatever follows it', () => {
  for (const rest of ['', '/', '?l=es', '/qr.svg', '#top'])
    assert.equal(
      codeInAddress(`https://pay.example/sw/7k3m9qxv2tr8n4bd${rest}`)?.reveal(),
      '7k3m9qxv2tr8n4bd',
    )
  assert.equal(codeInAddress('https://pay.example/PayForm/PF.aspx?s=1'), null)
})
