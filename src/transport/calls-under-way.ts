import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// Knows which connections have a call under way, so that a stop waits for those and for no others: one that
// has sent half a head, or rubbish, may never send more, and nothing has been done for it.
export function watchCalls(server: Server): { closeOthers(): void } {
  const calls = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    calls.set(socket, 0)
    socket.once('close', () => calls.delete(socket))
  })
  const count = (socket: Socket, by: number): void => {
    const before = calls.get(socket)
    if (before !== undefined) calls.set(socket, before + by)
  }
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  return {
    closeOthers: () => {
      for (const [socket, underWay] of calls) if (underWay === 0) socket.destroy()
    },
  }
}
