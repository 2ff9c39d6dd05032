import { once } from 'node:events'
import { createServer, type ListenOptions, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Complaint } from '#apps/complaint.ts'
import type { Config } from '#platform/config.ts'

type Place = Pick<Config, 'host' | 'port'>

// Elsewhere the process that started the workers takes all connections and hands them out.
const canSharePort = process.platform === 'linux'

// Workers listen each for itself: the system spreads connections evenly over them, where one process that
// hands them out gives most to whoever is the least busy in that moment.
export function listenOn(app: FastifyInstance, place: Place, { isShared }: { readonly isShared: boolean }) {
  const { host, port } = place
  return orComplain(place, async () => {
    const options = { host, port, reusePort: isShared && canSharePort }
    const address = await app.listen(options)
    return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
  })
}

type HeldPort = { readonly port: number; release(): Promise<void> }

// The port that workers are to share, and nobody else: the system would let them share it with the workers of
// another gateway. So it must be free, and is marked as taken until it is released.
export function holdPort(place: Place): Promise<HeldPort> {
  return orComplain(place, async () => {
    const port = await probePort(place)
    if (!canSharePort) return { port, release: async () => undefined }
    // A name that exists for as long as this process holds it.
    const mark = await listening({ path: `\0tillgate-${place.host}-${port}` })
    return { port, release: () => close(mark) }
  })
}

export async function refuseTakenPort(place: Place): Promise<void> {
  await orComplain(place, () => probePort(place))
}

// Fails where somebody has the port. Answers which it is, where any will do.
export async function probePort({ host, port }: Place): Promise<number> {
  const probe = await listening({ host, port })
  const address = probe.address()
  await close(probe)
  return typeof address === 'object' && address ? address.port : port
}

async function listening(options: ListenOptions): Promise<Server> {
  const server = createServer().listen(options)
  await once(server, 'listening')
  return server
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

const complaints: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ port }) => `Port ${port} is taken by another program. Set PORT to a free one, or to 0.`,
  EACCES: ({ port }) => `Port ${port} may not be used by this user. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: ({ host }) =>
    `This machine does not have the address ${host}. Set TILLGATE_HOST to one it has.`,
  ENOTFOUND: ({ host }) => `The name ${host} is not known. Set TILLGATE_HOST to an address of this machine.`,
}

async function orComplain<T>({ host, port }: Place, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const told = complaints[error instanceof Error && 'code' in error ? String(error.code) : '']
    throw told ? new Complaint(told({ host, port })) : error
  }
}
