import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify from 'fastify'

export type Bundle = { readonly plain: Buffer; readonly zipped: Buffer }

let loading: Promise<Bundle> | null = null

// The API reference's script. It is kept inside its package as a text of four megabytes, so it is loaded
// when somebody first opens the docs, and asked for through the package's own route, which is its public
// way out.
export function scalarBundle(): Promise<Bundle> {
  loading ??= loadBundle()
  return loading
}

async function loadBundle(): Promise<Bundle> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } })
  const { rawPayload } = await app.inject('/docs/js/scalar.js')
  await app.close()
  return { plain: rawPayload, zipped: await promisify(gzip)(rawPayload) }
}
