import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify from 'fastify'
import type { PackedFile } from '#transport/browser/send-packed.ts'

let loading: Promise<PackedFile> | null = null

// The API reference's script. It is kept inside its package as a text of four megabytes, so it is loaded
// when somebody first opens the docs, and asked for through the package's own route, which is its public
// way out.
export function scalarBundle(): Promise<PackedFile> {
  loading ??= loadBundle()
  return loading
}

async function loadBundle(): Promise<PackedFile> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } })
  const { rawPayload: plain } = await app.inject('/docs/js/scalar.js')
  await app.close()
  return { type: 'text/javascript; charset=utf-8', plain, gzip: await promisify(gzip)(plain) }
}
