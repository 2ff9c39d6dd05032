import type { FastifyInstance } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { SandboxOperations } from '#capabilities/operations.ts'
import { type RestNeeds, serveCall } from '#transport/rest/rest-routes.ts'
import { bodyBytesMax } from '#transport/call-operation.ts'

type Needs = RestNeeds & { readonly sandboxOperations: SandboxOperations<Context> }

// What the sandbox offers beyond the interface, under the same session keys and in the same envelope.
export function registerSandbox(app: FastifyInstance, needs: Needs): void {
  const { showClock, moveClock } = needs.sandboxOperations
  app.get('/sandbox/clock', (request, reply) => serveCall(needs, { operation: showClock, request, reply }))
  app.post('/sandbox/clock', { bodyLimit: bodyBytesMax }, (request, reply) =>
    serveCall(needs, { operation: moveClock, request, reply }),
  )
}
