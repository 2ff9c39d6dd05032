import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openLog, scrub } from '#platform/log.ts'

const visa = '4111111111111111'
const sessionKey = 'ab'.repeat(32)
const token = '0f'.repeat(16)

const hidden = [
  ['in a message', `card ${visa} declined`, visa],
  ['in groups', 'card 4111 1111 1111 1111 declined', '4111 1111'],
  ['with dashes', 'card 3782-822463-10005', '822463'],
  ['with long dashes', 'card 4111–1111—1111−1111', '1111—1111'],
  ['with dashes between blanks', 'card 4111 - 1111 - 1111 - 1111', '1111 - 1111'],
  ['in blanks that do not break', 'card 4111\u00a01111\u202f1111\u20091111', '\u00a01111'],
  ['before its expiry', `card ${visa} 12/26`, visa],
  ['before its security code', `${visa} 123`, visa],
  ['in groups before its expiry', '4111 1111 1111 1111 1226', '1111 1111'],
  ['behind another number', `id 7 ${visa}`, visa],
  ['behind a digit', `1${visa}`, visa],
  ['as a token behind a line break', `{"msg":"TG0000001\\n${token}"}`, token],
  ['as a session key behind a tab', `{"a":"\\t${sessionKey}"}`, sessionKey],
  ['as a session key behind a word', `SessKey_${sessionKey}`, sessionKey],
  ['in an address', `GET /x?card=${visa}`, visa],
  ['as a session key', `SessKey ${sessionKey}`, sessionKey],
  ['as a token', `"Token":"${token.toUpperCase()}"`, token.toUpperCase()],
] as const
for (const [where, line, secret] of hidden) {
  test(`a secret ${where} never reaches the log`, () => assert.ok(!scrub(line).includes(secret)))
}

test('the last four digits stay, so that a payment can be told from another', () => {
  assert.equal(scrub(`card ${visa}`), 'card [card 1111]')
})

test('ordinary numbers, dates and ids are left alone', () => {
  const line =
    '{"time":"2027-01-15T10:00:00.123Z","requestId":"req_kqzvhtrwxyabcdefghij","amount":12345678901234}'
  assert.equal(scrub(line), line)
})

test('a card number deep inside a logged object or an error is masked in the final line', () => {
  const lines: string[] = []
  const log = openLog('info', (line) => lines.push(line))
  log.info({ a: { b: { c: [{ number: visa }] } } }, `number ${visa}`)
  log.error({ err: new Error(`bad card ${visa}`) }, 'failed')
  assert.equal(lines.length, 2)
  for (const line of lines) assert.ok(!line.includes(visa) && line.includes('[card 1111]'), line)
})

test('of a rule of the database that was broken the log tells which one, and not by which row', () => {
  const lines: string[] = []
  const log = openLog('info', (line) => lines.push(line))
  const error = new pg.DatabaseError('new row violates check constraint "consent_check"', 40, 'error')
  error.code = '23514'
  error.table = 'consent'
  error.constraint = 'consent_check'
  error.detail = 'Failing row contains (17, Ada, Reader, ada@example.com, 1 Main Street).'
  error.where = 'SQL statement "insert ... Reader"'
  log.error({ err: error }, 'failed')
  const [line = ''] = lines
  assert.ok(!/Ada|Reader|Main Street/.test(line), line)
  const { type, code, table, constraint, message } = JSON.parse(line).err
  assert.deepEqual([type, code, table, constraint], ['DatabaseError', '23514', 'consent', 'consent_check'])
  assert.match(message, /violates check constraint/)
})
