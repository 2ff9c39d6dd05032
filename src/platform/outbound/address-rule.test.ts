import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSameAddress, ownNetworkOf, type Reach, reachOf } from '#platform/outbound/address-rule.ts'

const table: Readonly<Record<Reach, string>> = {
  public: `8.8.8.8 1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255
    192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
    168.63.129.15 168.63.129.17 2606:4700::1111 2a00:1450:4001::8a 2001:200::1 2001:db7:ffff::1 2001:db9::
    2003::1 3ffe:ffff::1 3fff:1000::1 ::ffff:8.8.8.8 ::ffff:808:808 0:0:0:0:0:ffff:8.8.8.8 64:ff9b::8.8.8.8
    64:ff9b::808:808`,
  private: `100.100.100.199 100.100.100.201 fd00:ec1:ffff::1 fd00:ec3::1 fd00:42::41 fd00:42::43 fd20:cd::1
    fd20:cf::1 127.0.0.1 127.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 172.16.0.0
    172.31.255.255 192.168.0.0 192.168.255.255 ::1 0:0:0:0:0:0:0:1 fc00::1 fdff:ffff::1 ::ffff:127.0.0.1
    ::ffff:7f00:1 ::FFFF:10.0.0.1 0:0:0:0:0:ffff:c0a8:1 64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b::c0a8:101`,
  forbidden: `100.100.100.200 ::ffff:100.100.100.200 64:ff9b::100.100.100.200 fd00:ec2::254 fd00:0ec2:0:0::23
    fd00:42::42 fd20:ce::254 0.0.0.0 0.255.255.255
    169.254.0.0 169.254.169.254 169.254.255.255 192.0.0.0 192.0.0.255
    192.0.2.1 192.88.99.1 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255
    240.0.0.1 255.255.255.255 168.63.129.16 :: ::2 ::127.0.0.1 ::7f00:1 ::8.8.8.8 ::ffff:0:127.0.0.1
    ::ffff:169.254.169.254 ::ffff:0.0.0.0 64:ff9b::169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    64:ff9b:1:7f00:0:100:: 64:ff9b:1:ffff::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
    2001:1ff:ffff::1 2001:db8::1 2002::1 2002:7f00:1::1 2002:808:808::1 3fff::1 3fff:fff:ffff::1 4000::1
    fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1 fd00::1%1 5f00::1 1fff:ffff::1 e000::1`,
}

for (const [reach, addresses] of Object.entries(table)) {
  test(`${reach}: ${addresses.split(/\s+/).length} addresses, the first and last of each network too`, () => {
    for (const address of addresses.split(/\s+/)) assert.equal(reachOf(address), reach, address)
  })
}

test('what is no address is never connected to', () => {
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '[::1]',
    ':::',
    '1::2::3',
  ])
    assert.equal(reachOf(text), 'forbidden', text)
})

test('an IPv4 address inside an IPv6 address is judged as itself, however it is written', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      const mapped = [`::ffff:${address}`, `::ffff:${groups}`, `0:0:0:0:0:FFFF:${groups}`]
      for (const one of mapped) assert.equal(reachOf(one), reachOf(address), one)
    }),
  )
})

test('nothing outside of 2000::/3 is public, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const first = Number.parseInt(address.split(':')[0] || '0', 16)
      const isAround4 = /^(::|0:|64:)/.test(address) || first === 0
      if (reachOf(address) === 'public' && !isAround4) assert.ok(first >= 0x2000 && first < 0x4000, address)
    }),
  )
})

const networks: readonly [address: string, network: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '20010db800000000::/64'],
  ['2001:db8:0:0:ffff::1', '20010db800000000::/64'],
  ['2001:db8:0:1::1', '20010db800000001::/64'],
  ['fe80::1%eth0', 'fe80000000000000::/64'],
]
for (const [address, network] of networks) {
  test(`whoever has ${address} has ${network}`, () => assert.equal(ownNetworkOf(address), network))
}

const spellings: readonly [left: string, right: string, isSame: boolean][] = [
  ['198.51.100.7', '198.51.100.7', true],
  ['198.51.100.7', '::ffff:198.51.100.7', true],
  ['198.51.100.7', '::ffff:c633:6407', true],
  ['198.51.100.7', '64:ff9b::198.51.100.7', true],
  ['2a00:1::7', '2a00:1:0:0:0:0:0:7', true],
  ['198.51.100.7', '::ffff:198.51.100.8', false],
  ['198.51.100.7', '2a00:1::7', false],
]
for (const [left, right, isSame] of spellings) {
  test(`${left} and ${right} are ${isSame ? 'one address' : 'two addresses'}`, () =>
    assert.equal(isSameAddress(left, right), isSame))
}
