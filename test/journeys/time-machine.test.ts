import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome, until } from '../support/gateway-process.ts'

// The clock of a sandbox account, over HTTP and by the command line, beside a running gateway.

const account = ['--account', 'TG0000001'] as const

async function clockAt(baseUrl: string, sessionKey: string, body?: object) {
  const method = body ? 'POST' : 'GET'
  const headers = { SessKey: sessionKey, 'Content-Type': 'application/json' }
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
  const answer: { ClockResult: { FunctionOk: boolean; RespMsg: string; now: string } } = JSON.parse(
    await (await fetch(`${baseUrl}/sandbox/clock`, init)).text(),
  )
  return answer.ClockResult
}

test('a clock is moved by a command and by a call, and stays moved when the gateway is killed', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  const sessionKey = await gateway.signIn()
  const real = await clockAt(gateway.baseUrl, sessionKey)
  // Less than the shortest month.
  const wanted = Temporal.Instant.from(real.now).add({ hours: 600 }).toString()

  const untouched = await home.runCli(['clock', 'show', ...account])
  assert.match(untouched.stdout, /^It is \S+Z\. That is real time: .* was never moved\. .*\n$/)
  const moved = await home.runCli(['clock', 'advance', 'P1M', ...account])
  assert.deepEqual([moved.code, moved.stderr], [0, ''])
  const isAhead = async () => (await clockAt(gateway.baseUrl, sessionKey)).now > wanted
  await until(isAhead, { what: 'the gateway has heard of it', withinMs: 10_000 })

  const year = await clockAt(gateway.baseUrl, sessionKey, { advance: 'P1Y' })
  assert.equal(year.FunctionOk, true, year.RespMsg)
  const shown = await home.runCli(['clock', 'show', ...account])
  assert.match(shown.stdout, new RegExp(`It is ${year.now.slice(0, 10)}`))

  for (const [words, complaint] of [
    [['clock', 'advance', 'soon', ...account], /soon is not a positive ISO 8601 duration/],
    [
      ['clock', 'advance', '-P1D', ...account],
      /^There is no option -P1D\.\nUsage: tillgate clock advance DURATION/,
    ],
    [['clock', 'advance', 'P11Y', ...account], /by 10 years at the most/],
    [['clock', 'set', 'yesterday', ...account], /yesterday is no moment/],
    [['clock', 'set', '2020-01-01', ...account], /forwards only/],
    [['clock', 'show'], /--account is missing/],
  ] as const) {
    const refused = await home.runCli(words)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, complaint)
  }

  await gateway.kill('SIGKILL')
  const next = await home.start()
  assert.ok((await clockAt(next.baseUrl, sessionKey)).now >= year.now)
})
