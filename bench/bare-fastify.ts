import fastify from 'fastify'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { endWithParent, tellParent } from './child.ts'

// The yardstick: Fastify as its manual shows it, which parses the same JSON body and answers an object of the
// same size. No hooks, no schema, no database.

const Order = Type.Object({ path: Type.String(), answer: Type.Record(Type.String(), Type.Unknown()) })

async function serve(message: unknown): Promise<object> {
  const { path, answer } = Parse(Order, message)
  const app = fastify({ logger: false })
  app.post(path, async () => answer)
  return { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

endWithParent()
process.on('message', (message) => {
  void serve(message).then(tellParent)
})
