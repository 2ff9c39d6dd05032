import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { requestSender } from '#platform/outbound/send-request.ts'

// Two hundred addresses by which somebody would reach what is not the public internet: this machine, its
// neighbours, the credentials of a cloud. None may lead to a connection, in live mode.

// In numbers, in every spelling that some parser takes for an address.
const numbers = `127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433
  017700000001 0x7f.1 0177.1 127.0.0.1. 0 0.0.0.0 0.0.0.1 0x0 00 10.0.0.1 10.255.255.255 0xa.0.0.1 012.0.0.1
  167772161 100.64.0.1 100.127.255.255 169.254.169.254 0xa9fea9fe 2852039166 025177524776 169.254.43518
  169.16689662 169.254.170.2 169.254.169.253 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
  192.88.99.1 192.168.0.1 192.168.1.1 3232235521 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250
  240.0.0.1 255.255.255.255 4294967295 168.63.129.16 100.100.100.200 8.8.8.8 1.1.1.1 134744072
  [::] [::1] [0:0:0:0:0:0:0:1] [::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1] [::127.0.0.1]
  [::7f00:1] [::ffff:0:127.0.0.1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]
  [::ffff:192.168.0.1] [::ffff:0.0.0.0] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe]
  [64:ff9b::10.0.0.1] [64:ff9b:1::1] [64:ff9b:1:7f00:0:100::] [2002:7f00:1::] [2002:7f00:1::1]
  [2002:a9fe:a9fe::1]
  [2002:c0a8:1::1] [2001::1] [2001:0:4136:e378:8000:63bf:80ff:fffe] [2001:db8::1] [2001:10::1] [2001:20::1]
  [3fff::1] [100::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff] [fe80::1]
  [febf::1] [fec0::1] [ff02::1] [ff05::1:3] [5f00::1] [2606:4700::1111] [2a00:1450:4001::8a]`.split(/\s+/)

const names = `localhost LOCALHOST localhost. a.localhost localhost.localdomain printer.local router.local.
  metadata.google.internal METADATA.google.internal instance-data.ec2.internal db.internal db.internal.
  host.docker.internal kubernetes gateway.lan nas.home intranet tillgate postgres metadata localhost%2e
  loc%61lhost %6c%6f%63%61%6c%68%6f%73%74 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1`.split(
  /\s+/,
)

// Names like any other, whose name server leads inside.
const leading: Readonly<Record<string, readonly string[]>> = {
  'loop.shop.example': ['127.0.0.1'],
  'loop6.shop.example': ['::1'],
  'mapped.shop.example': ['::ffff:127.0.0.1'],
  'translated.shop.example': ['64:ff9b::7f00:1'],
  'tunnelled.shop.example': ['2002:7f00:1::1'],
  'house.shop.example': ['10.0.0.7'],
  'company.shop.example': ['172.20.0.7'],
  'home.shop.example': ['192.168.1.7'],
  'carrier.shop.example': ['100.64.0.7'],
  'cloud.shop.example': ['169.254.169.254'],
  'cloud6.shop.example': ['fd00:ec2::254'],
  'azure.shop.example': ['168.63.129.16'],
  'nowhere.shop.example': ['0.0.0.0'],
  'nowhere6.shop.example': ['::'],
  'link.shop.example': ['fe80::1'],
  'scoped.shop.example': ['fe80::1%eth0'],
  'many.shop.example': ['224.0.0.1'],
  'all.shop.example': ['255.255.255.255'],
  'kept.shop.example': ['240.0.0.1'],
  'test.shop.example': ['198.51.100.7'],
  'bench.shop.example': ['198.18.0.1'],
  'mixed.shop.example': ['93.184.215.14', '127.0.0.1'],
  'mixed2.shop.example': ['127.0.0.1', '93.184.215.14'],
  'mixed6.shop.example': ['93.184.215.14', '::1'],
  'mixed7.shop.example': ['93.184.215.14', '2606:4700::1111', 'fd00::1'],
  'odd.shop.example': ['not an address'],
  'nobody.shop.example': [],
}

const tricks = `http://shop.example/ ftp://shop.example/ file:///etc/passwd gopher://127.0.0.1:6379/_x
  dict://127.0.0.1:11211/ ldap://127.0.0.1/ unix:/var/run/docker.sock data:text/plain,x javascript:alert(1)
  //127.0.0.1/ /etc/passwd 127.0.0.1 https:127.0.0.1 https:/127.0.0.1 https:///127.0.0.1 https:\\\\127.0.0.1
  https://shop.example\\@127.0.0.1/ https://127.0.0.1\\@shop.example/ https://shop.example@127.0.0.1/
  https://shop.example:443@127.0.0.1/ https://user:word@shop.example/ https://@127.0.0.1/
  https://shop.example%40127.0.0.1/ https://shop.example#@127.0.0.1/ https://127.0.0.1#.shop.example/
  https://shop.example:22/ https://shop.example:25/ https://shop.example:80/ https://shop.example:5432/
  https://shop.example:6379/ https://shop.example:65536/ https://shop.example:0/ https://[::1]:443/
  https://127.0.0.1:8443/ https://127.0.0.1?.shop.example/ https://127.0.0.1;.shop.example/ https://[::1
  https://[127.0.0.1]/ https://[::1]shop.example/ https://1.2.3.4.5/ https://256.256.256.256/ https://
  https://.
  https://../ https://shop..example/`.split(/\s+/)

// Whatever the rule lets pass would be connected to.
const elsewhere = '93.184.215.14'

const addresses = [
  ...numbers.map((one) => `https://${one}/`),
  ...names.map((one) => `https://${one}/`),
  ...Object.keys(leading).map((one) => `https://${one}/hooks`),
  ...tricks,
  'https://shop.example/\r\nHost: 127.0.0.1',
  'https://shop.exa\tmple/',
  'https://127.0.0.1\u0000.shop.example/',
  ' https://127.0.0.1/',
  '',
]

test(`of ${addresses.length} addresses that lead elsewhere none leads to a connection`, async (t) => {
  assert(addresses.length >= 200 && new Set(addresses).size === addresses.length)
  const connect = t.mock.method(Socket.prototype, 'connect', () => assert.fail('connected'))
  const send = requestSender({ mode: 'live', resolve: async (host) => leading[host] ?? [elsewhere] })
  for (const url of addresses) {
    const outcome = await send({ url, method: 'POST', headers: {}, body: Buffer.from('{}') })
    assert.equal(outcome.kind, 'failed', url)
  }
  assert.equal(connect.mock.callCount(), 0)
})

test('a public name is called, at the address that was judged', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect', function pretend(this: Socket) {
    setImmediate(() => this.destroy())
    return this
  })
  const send = requestSender({ mode: 'live', resolve: async () => [elsewhere] })
  const url = 'https://shop.example/hooks'
  await send({ url, method: 'POST', headers: {}, body: Buffer.from('{}') })
  const [options] = connect.mock.calls.flatMap(({ arguments: [first] }) => [first].flat())
  assert.equal(Object(options).host, elsewhere)
})
