// The network that failed sign-ins are counted for: the /24 of an IPv4 address, the /64 of an IPv6 address.
// Guessers have whole networks at their disposal, merchants rarely share one with them.
export function networkOf(address: string): string {
  return networkOfBits(address, 64)
}

// What one customer of a provider has: a guesser with one /48 has 65,536 networks of /64.
export function wideNetworkOf(address: string): string {
  return networkOfBits(address, 48)
}

function networkOfBits(address: string, bits: 48 | 64): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!plain.includes(':')) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  return `${groupsOf(plain)
    .slice(0, bits / 16)
    .join(':')}::/${bits}`
}

// Writes out what :: stands for and drops leading zeros, so that one network has one spelling.
function groupsOf(address: string): readonly string[] {
  const [left = '', right] = address.toLowerCase().split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...(right === undefined ? [] : zeros), ...tail].map((group) =>
    group.replace(/^0+(?=.)/, ''),
  )
}
