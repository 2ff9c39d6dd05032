import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

type Needs = { readonly publicAddress: { readonly url: string } }

const unknownHost =
  'This page is not shown under the name by which you have come. Set BASE_URL to the address of the gateway.\n'

// Everybody who reaches the sandbox may look into it. Somebody else's page is not to reach it through the
// browser of whoever runs it: a name that leads elsewhere today can lead to this machine tomorrow, and its
// pages would then read ours.
export function refuseUnknownHosts(scope: FastifyInstance, { publicAddress }: Needs): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (isKnownHost(request.headers.host ?? '', publicAddress.url)) return
    await reply.code(403).type('text/plain; charset=utf-8').send(unknownHost)
  })
}

// Of networks of one's own: no name server of a stranger answers for these.
const namesAtHome = /(?:^|\.)(?:localhost|local|lan|home|internal|home\.arpa)$/

// Numbers cannot be made to lead elsewhere, nor can names without a dot.
export function isKnownHost(host: string, publicUrl: string): boolean {
  const name = nameIn(`http://${host}`)
  if (name === '' || isIP(name) > 0 || !name.includes('.')) return true
  return namesAtHome.test(name) || name === nameIn(publicUrl)
}

function nameIn(url: string): string {
  return (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '').replace(/\.$/, '')
}
