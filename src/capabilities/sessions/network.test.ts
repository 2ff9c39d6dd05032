import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, wideNetworkOf } from '#capabilities/sessions/network.ts'

const networks = [
  ['192.0.2.17', '192.0.2.0/24'],
  ['::ffff:192.0.2.17', '192.0.2.0/24'],
  ['127.0.0.1', '127.0.0.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
] as const
for (const [address, network] of networks) {
  test(`failures from ${address} count for ${network}`, () => assert.equal(networkOf(address), network))
}

for (const [address, network] of [
  ['192.0.2.17', '192.0.2.0/24'],
  ['::ffff:192.0.2.17', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:3::1', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
] as const) {
  test(`a widespread attack counts ${address} as ${network}`, () =>
    assert.equal(wideNetworkOf(address), network))
}
