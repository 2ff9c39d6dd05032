import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#platform/metrics.ts'

export type Readiness = {
  readonly isReady: boolean
  readonly database: string
  // Only where it is what keeps the node from working.
  readonly clock?: string
}

type Needs = { readonly metrics: Metrics; readonly readiness: () => Promise<Readiness> }

// /live: the process answers. /ready: it can do work; a load balancer takes it out while it cannot.
export function registerHealth(app: FastifyInstance, { metrics, readiness }: Needs): void {
  app.get('/live', (_, reply) => reply.type('application/json').send('{"live":true}'))
  app.get('/ready', async (_, reply) => {
    const { isReady, ...causes } = await readiness()
    return reply
      .code(isReady ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify({ ready: isReady, ...causes }))
  })
  app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.render()))
}
