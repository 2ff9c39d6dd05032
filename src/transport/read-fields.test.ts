import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { allFieldsOf, fieldsOf, readFields } from '#transport/read-fields.ts'

type Sent = { readonly body: string; readonly type?: string; readonly bytesMax?: number }

async function send({ body, type = 'application/x-www-form-urlencoded', bytesMax }: Sent) {
  const app = fastify()
  readFields(app, bytesMax)
  app.post('/', ({ body: read }, reply) =>
    reply.send({ last: Object.fromEntries(fieldsOf(read)), all: allFieldsOf(read).getAll('box') }),
  )
  const headers = { 'content-type': type }
  const { statusCode, json } = await app.inject({ method: 'POST', url: '/', headers, payload: body })
  return { status: statusCode, read: json<unknown>() }
}

test('of a field that was sent twice the last one counts, and boxes keep all', async () => {
  const { read } = await send({ body: 'box=1&box=2&name=Ada+Miller%21' })
  assert.deepEqual(read, { last: { box: '2', name: 'Ada Miller!' }, all: ['1', '2'] })
})

test('something else than fields is none', async () => {
  const { read } = await send({ body: '{"box":"1"}', type: 'application/json' })
  assert.deepEqual(read, { last: {}, all: [] })
})

test('more than a page sends is not read', async () => {
  assert.equal((await send({ body: `a=${'x'.repeat(16_382)}` })).status, 200)
  assert.equal((await send({ body: `a=${'x'.repeat(16_383)}` })).status, 413)
  assert.equal((await send({ body: 'a=123', bytesMax: 4 })).status, 413)
})
