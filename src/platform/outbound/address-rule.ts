import { isIP } from 'node:net'

// Whether an address that a merchant's host name led to may be connected to. Everything that is not plainly
// the public internet is told apart, in every spelling: an address inside an address counts as that one.

export type Reach = 'public' | 'private' | 'forbidden'

type Network = readonly [network: string, bits: number]

// Machines of one's own: this one, and those of a house or a company.
const privateNetworks4: readonly Network[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
]
const forbiddenNetworks4: readonly Network[] = [
  ['0.0.0.0', 8],
  // Link-local, where clouds keep the credentials of a machine.
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // A public address that is the host of every machine in one cloud.
  ['168.63.129.16', 32],
  // Where one cloud keeps the credentials of a machine, inside 100.64.0.0/10.
  ['100.100.100.200', 32],
]
const privateNetworks6: readonly Network[] = [
  ['::1', 128],
  ['fc00::', 7],
]
// Where clouds keep the credentials of a machine, inside fc00::/7.
const metadataNetworks6: readonly Network[] = [
  ['fd00:ec2::', 32],
  ['fd00:42::42', 128],
  ['fd20:ce::', 32],
]
const globalNetwork6: Network = ['2000::', 3]
const forbiddenNetworks6: readonly Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]
// IPv4 written as IPv6, and the usual translation to IPv4.
const networksAround4: readonly Network[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]

export function reachOf(address: string): Reach {
  switch (isIP(address)) {
    case 4:
      return reachOf4(number4(address))
    case 6:
      return address.includes('%') ? 'forbidden' : reachOf6(number6(address))
    default:
      return 'forbidden'
  }
}

function reachOf4(address: bigint): Reach {
  const isIn = (network: Network): boolean => isWithin(address, number4(network[0]), 32 - network[1])
  if (forbiddenNetworks4.some(isIn)) return 'forbidden'
  return privateNetworks4.some(isIn) ? 'private' : 'public'
}

function reachOf6(address: bigint): Reach {
  const isIn = (network: Network): boolean => isWithin(address, number6(network[0]), 128 - network[1])
  if (networksAround4.some(isIn)) return reachOf4(address & 0xffff_ffffn)
  if (metadataNetworks6.some(isIn)) return 'forbidden'
  if (privateNetworks6.some(isIn)) return 'private'
  return isIn(globalNetwork6) && !forbiddenNetworks6.some(isIn) ? 'public' : 'forbidden'
}

// However they are written: 203.0.113.9 is also ::ffff:203.0.113.9, and reached behind 64:ff9b::203.0.113.9.
export function isSameAddress(left: string, right: string): boolean {
  return innermost(left) === innermost(right)
}

function innermost(address: string): bigint {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return number4(bare)
  const number = number6(bare)
  const isAround4 = networksAround4.some(([network, bits]) => isWithin(number, number6(network), 128 - bits))
  return isAround4 ? number & 0xffff_ffffn : number
}

// What one owner has: an IPv4 address, also one that is written as IPv6, or the /64 of an IPv6 address.
export function ownNetworkOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const number = number6(bare)
  if (number >> 32n === 0xffffn) return [24n, 16n, 8n, 0n].map((bits) => (number >> bits) & 0xffn).join('.')
  return `${(number >> 64n).toString(16).padStart(16, '0')}::/64`
}

function isWithin(address: bigint, network: bigint, hostBits: number): boolean {
  return address >> BigInt(hostBits) === network >> BigInt(hostBits)
}

function number4(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

// Of an address that was found to be one.
function number6(address: string): bigint {
  const [head = '', tail] = withoutDots(address).split('::')
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0n)
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | group, 0n)
}

function groupsOf(text: string): readonly bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`))
}

// The last 32 bits may be written as an IPv4 address.
function withoutDots(address: string): string {
  return address.replace(/[\d.]+$/, (end) => {
    if (!end.includes('.')) return end
    const number = number4(end)
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`
  })
}
