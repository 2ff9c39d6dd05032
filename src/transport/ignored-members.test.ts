import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountId } from '#kernel/ids.ts'
import type { Log } from '#platform/log.ts'
import { ignoredMembersLog, ignoredNote, printablePaths } from '#transport/ignored-members.ts'

const dayMs = 86_400_000

const ignore = (): undefined => undefined

function logOf(clock: { ms: number }) {
  const lines: object[] = []
  const log: Log = { debug: ignore, warn: ignore, error: ignore, info: (fields) => lines.push(fields) }
  const note = ignoredMembersLog(log, () => clock.ms)
  const noteFor = (account: bigint, paths: readonly string[], operation = 'CardSale/Manual') =>
    note({ account: accountId(account), operation, requestId: 'req_a', paths })
  return { lines, noteFor }
}

test('a path is printed in plain characters, and a card number is not', () => {
  const printed = printablePaths([
    'Amounts.My Field',
    'ünï-cod€',
    'a\r\nSet-Cookie: x',
    '4111111111111111',
    'x'.repeat(99),
  ])
  assert.deepEqual(printed, [
    'Amounts.My_Field',
    '_n__cod_',
    'a__Set_Cookie__x',
    '_card_1111_',
    'x'.repeat(64),
  ])
})

test('at most twenty paths are named', () => {
  const paths = printablePaths(Array.from({ length: 30 }, (_, at) => `m${at}`))
  assert.equal(ignoredNote(paths)['Ignored-Members']?.split(', ').length, 20)
  assert.deepEqual(ignoredNote([]), {})
})

test('a member is logged once for an account and operation', () => {
  const { lines, noteFor } = logOf({ ms: 0 })
  noteFor(1n, ['Colour'])
  noteFor(1n, ['Colour', 'Size'])
  noteFor(2n, ['Colour'])
  noteFor(1n, ['Colour'], 'ACH/Sale')
  assert.deepEqual(lines, [
    { requestId: 'req_a', account: '1', operation: 'CardSale/Manual', member: 'Colour' },
    { requestId: 'req_a', account: '1', operation: 'CardSale/Manual', member: 'Size' },
    { requestId: 'req_a', account: '2', operation: 'CardSale/Manual', member: 'Colour' },
    { requestId: 'req_a', account: '1', operation: 'ACH/Sale', member: 'Colour' },
  ])
})

test('an account fills at most 100 lines a day', () => {
  const clock = { ms: 0 }
  const { lines, noteFor } = logOf(clock)
  for (let at = 0; at < 150; at += 1) noteFor(1n, [`m${at}`])
  assert.equal(lines.length, 100)
  noteFor(2n, ['m0'])
  assert.equal(lines.length, 101)
  clock.ms = dayMs
  for (let at = 0; at < 150; at += 1) noteFor(1n, [`m${at}`])
  assert.equal(lines.length, 151)
})
