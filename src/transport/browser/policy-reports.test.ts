import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import pino from 'pino'
import { policyReportsPath, readReport, registerPolicyReports } from '#transport/browser/policy-reports.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

const report = (members: object): string => JSON.stringify({ 'csp-report': members })

test('a report says what was kept from happening and where, and nothing that opens a form', () => {
  const told = readReport(
    report({
      'document-uri': 'https://pay.example/PayForm/PF.aspx?s=0123456789abcdef0123456789abcdef',
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://evil.example/skim.js?card=4111111111111111',
      'script-sample': 'steal()',
    }),
  )
  assert.deepEqual(told, {
    directive: 'script-src-elem',
    blocked: 'https://evil.example',
    page: '/PayForm/PF.aspx',
  })
})

test('what a browser says in a word is kept, what is no word is not', () => {
  const inline = readReport(report({ 'violated-directive': 'style-src', 'blocked-uri': 'inline' }))
  assert.deepEqual(inline, { directive: 'style-src', blocked: 'inline', page: '' })
  const odd = readReport(report({ 'violated-directive': 'x\ny', 'blocked-uri': 7 }))
  assert.deepEqual(odd, { directive: '', blocked: '', page: '' })
})

for (const text of ['', 'null', '[]', '{}', '{"csp-report":1}', '{']) {
  test(`${text || 'nothing'} is no report`, () => {
    assert.equal(readReport(text), null)
  })
}

test('one source of reports does not keep those of others out of the log', async () => {
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const app = fastify()
  registerPolicyReports(app, { context: { ...world(), log } })
  const send = (remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: policyReportsPath,
      remoteAddress,
      headers: { 'content-type': 'application/csp-report' },
      payload: report({ 'effective-directive': 'script-src', 'blocked-uri': 'inline' }),
    })
  for (let sent = 0; sent < 20; sent += 1)
    assert.equal((await send(`2001:db8::${sent}`)).statusCode, 204, 'one owner of many addresses')
  assert.equal(logged.length, 1)
  await send('203.0.113.9')
  assert.equal(logged.length, 2)
})
