import { isIP } from 'node:net'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Mode } from '#platform/crypto/key-file.ts'
import { reachOf } from '#platform/outbound/address-rule.ts'

// Where a request may go, as far as its address alone can tell. What its host name leads to is judged when
// it is sent.
export type Target = {
  readonly href: string
  readonly isSecure: boolean
  // Without the brackets of an IPv6 address and without a dot at the end.
  readonly host: string
  readonly port: number
  // What stands in the request line.
  readonly path: string
  readonly hostHeader: string
}

// Of what a merchant may name.
const lengthMax = 2_048
const portsOfLive = new Set([443, 8443])
const nameOnInternet = /^[\w-]+(?:\.[\w-]+)+$/
const namesOfOurselves = /(^|\.)(localhost|local|internal|home|lan|localdomain)$/
// The parser drops some of these and turns others round; whoever writes them means to deceive.
const marksOfDeceit = /[\s\\\p{Cc}]/u

type Allowance = {
  readonly lengthMax?: number
  // A browser that is sent there keeps it to itself and its page.
  readonly mayHaveFragment?: boolean
}

// The one rule for every address that a merchant names: endpoints, what forms post to and where payers are
// sent. The sandbox takes plain HTTP, any port, addresses in numbers and machines of one's own.
export function readTarget(
  text: string,
  mode: Mode,
  { lengthMax: longest = lengthMax, mayHaveFragment = false }: Allowance = {},
): Result<Target, 'target_refused'> {
  if (text.length > longest) return no(`is longer than ${longest} characters`)
  if (marksOfDeceit.test(text)) return no('contains blanks, backslashes or control characters')
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return no(`is no address that starts with ${schemes[mode]}`)
  if (url.username !== '' || url.password !== '') return no('contains a user name or a password')
  if (text.includes('#') && !mayHaveFragment) return no('contains a fragment (#), which is never sent')
  const target = targetOf(url)
  if (target.host === '') return no('names no host')
  const problem = mode === 'live' ? problemInLive(target) : problemInSandbox(target)
  return problem === null ? ok(target) : no(problem)
}

const schemes: Readonly<Record<Mode, string>> = { live: 'https://', sandbox: 'https:// or http://' }

function no(problem: string) {
  return refuse('target_refused', { problem })
}

function targetOf(url: URL): Target {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return {
    href: url.href,
    isSecure,
    host,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    hostHeader: url.host,
  }
}

function problemInLive({ isSecure, host, port }: Target): string | null {
  if (!isSecure) return 'must start with https://'
  if (isIP(host) > 0) return 'must name a host, not a number'
  if (!nameOnInternet.test(host) || namesOfOurselves.test(host))
    return 'names a host that is not on the internet'
  return portsOfLive.has(port) ? null : 'must use port 443 or 8443'
}

function problemInSandbox({ host }: Target): string | null {
  const isForbidden = isIP(host) > 0 && reachOf(host) === 'forbidden'
  return isForbidden ? 'is one that nothing is ever sent to' : null
}
