import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turnOver } from 'node:timers/promises'
import { serveInTurns } from '#transport/serve-in-turns.ts'

function requestTo(url: string) {
  const request = new IncomingMessage(new Socket())
  request.url = url
  return [request, new ServerResponse(request)] as const
}

test('requests of one turn are all there before the first is served, and are served in their order', async () => {
  const served: string[] = []
  const serve = serveInTurns(({ url = '' }) => void served.push(url))
  serve(...requestTo('/first'))
  serve(...requestTo('/second'))
  assert.deepEqual(served, [])
  await turnOver()
  assert.deepEqual(served, ['/first', '/second'])
})

test('a request that comes while others are served waits for the next turn', async () => {
  const served: string[] = []
  const serve = serveInTurns(({ url = '' }) => {
    served.push(url)
    if (url === '/first') serve(...requestTo('/meanwhile'))
  })
  serve(...requestTo('/first'))
  serve(...requestTo('/second'))
  await turnOver()
  assert.deepEqual(served, ['/first', '/second'])
  await turnOver()
  assert.deepEqual(served, ['/first', '/second', '/meanwhile'])
})
