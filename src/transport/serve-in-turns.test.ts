import assert from 'node:assert/strict'
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turnOver } from 'node:timers/promises'
import { serveInTurns } from '#transport/serve-in-turns.ts'

// Answers what lets requests arrive.
function serving(serve: RequestListener): (...urls: readonly string[]) => void {
  const server = createServer(serve)
  serveInTurns(server)
  return (...urls) => {
    for (const url of urls) {
      const request = new IncomingMessage(new Socket())
      request.url = url
      server.emit('request', request, new ServerResponse(request))
    }
  }
}

test('requests of one turn are all there before the first is served, and keep their order', async () => {
  const served: string[] = []
  const arrive = serving(({ url = '' }) => void served.push(url))
  arrive('/first', '/second')
  assert.deepEqual(served, [])
  await turnOver()
  assert.deepEqual(served, ['/first', '/second'])
})

test('requests of one turn go from step to step side by side', async () => {
  const steps: string[] = []
  const serve = async (url: string): Promise<void> => {
    steps.push(`${url} begins`)
    await Promise.resolve()
    steps.push(`${url} goes on`)
    await new Promise((resolve) => process.nextTick(resolve))
    steps.push(`${url} ends`)
  }
  const arrive = serving(({ url = '' }) => void serve(url))
  arrive('/first', '/second')
  await turnOver()
  await turnOver()
  const expected = ['begins', 'goes on', 'ends'].flatMap((step) => [`/first ${step}`, `/second ${step}`])
  assert.deepEqual(steps, expected)
})

test('a request that comes while others are served waits for the next turn', async () => {
  const served: string[] = []
  const arrive = serving(({ url = '' }) => {
    served.push(url)
    if (url === '/first') arrive('/meanwhile')
  })
  arrive('/first', '/second')
  await turnOver()
  assert.deepEqual(served, ['/first', '/second'])
  await turnOver()
  assert.deepEqual(served, ['/first', '/second', '/meanwhile'])
})
