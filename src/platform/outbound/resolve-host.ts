import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

// All addresses of a host, IPv4 first; none when it is not known.
export type ResolveHost = (host: string) => Promise<readonly string[]>

const patienceMs = 2_000

// Asks the name server itself: the system's own lookup would occupy threads that others need, for as long as
// a name server is silent. What the machine calls itself needs no server.
export const resolveHost: ResolveHost = async (host) => {
  if (isIP(host) > 0) return [host]
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1']
  const resolver = new Resolver({ timeout: patienceMs / 2, tries: 2 })
  const timer = setTimeout(() => resolver.cancel(), patienceMs)
  try {
    const asked = [resolver.resolve4(host), resolver.resolve6(host)]
    const answers = await Promise.all(asked.map((one) => one.catch((): readonly string[] => [])))
    return answers.flat()
  } finally {
    clearTimeout(timer)
  }
}
