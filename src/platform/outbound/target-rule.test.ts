import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTarget } from '#platform/outbound/target-rule.ts'

const inBoth = `https://shop.example/hooks https://shop.example:8443/a?b=c https://SHOP.example:443/
  https://shop.example./hooks https://xn--bcher-kva.example/ https://a.b.shop.example`.split(/\s+/)

const inSandboxOnly =
  `http://shop.example/hooks https://shop.example:9000/ http://127.0.0.1:9303/sandbox/inbox
  http://localhost:3000/ https://localhost/ http://[::1]:3000/ http://10.0.0.7/ https://192.168.1.2/
  http://0x7f.1/ http://2130706433/ http://017700000001/ http://127.1/ http://intranet/ https://till.local/
  https://db.internal/ https://printer.lan/ https://a.localhost/ https://8.8.8.8/ https://[2606:4700::1111]/
  http://[::ffff:127.0.0.1]/ https://shop.example:22/`.split(/\s+/)

const never: readonly (readonly [string, RegExp])[] = [
  ['', /no address/],
  ['shop.example/hooks', /no address/],
  ['//shop.example/hooks', /no address/],
  ['ftp://shop.example/', /no address/],
  ['file:///etc/passwd', /no address/],
  ['javascript:alert(1)', /no address/],
  ['gopher://127.0.0.1:6379/_x', /no address/],
  ['https:shop.example', /no address/],
  ['https:/shop.example', /no address/],
  ['https://', /no address/],
  ['https:///shop.example', /no address/],
  ['https://user@shop.example/', /user name/],
  ['https://user:word@shop.example/', /user name/],
  ['https://shop.example@127.0.0.1/', /user name/],
  ['https://shop.example/#top', /fragment/],
  ['https://shop.example/a b', /blanks/],
  ['https://shop.example\\@127.0.0.1/', /backslashes/],
  ['https://shop.example/\r\nHost: evil', /blanks/],
  ['https://shop.exa\tmple/', /blanks/],
  ['http://169.254.169.254/latest/meta-data/', /nothing is ever sent to/],
  ['http://[fe80::1]/', /nothing is ever sent to/],
  ['http://0.0.0.0/', /nothing is ever sent to/],
  ['http://0/', /nothing is ever sent to/],
  ['http://[64:ff9b::a9fe:a9fe]/', /nothing is ever sent to/],
  ['http://224.0.0.1/', /nothing is ever sent to/],
  [`https://shop.example/${'a'.repeat(2_048)}`, /longer than 2048/],
]

for (const text of inBoth) {
  test(`${text} may be told of payments`, () => {
    assert.ok(readTarget(text, 'live').ok)
    assert.ok(readTarget(text, 'sandbox').ok)
  })
}

for (const text of inSandboxOnly) {
  test(`${text} is for the sandbox only`, () => {
    assert.ok(readTarget(text, 'sandbox').ok)
    assert.ok(!readTarget(text, 'live').ok)
  })
}

for (const [text, because] of never) {
  test(`${JSON.stringify(text.slice(0, 60))} is refused everywhere, with the reason`, () => {
    const read = readTarget(text, 'sandbox')
    assert.ok(!read.ok)
    assert.match(String(read.refusal.details['problem']), because)
    assert.ok(!readTarget(text, 'live').ok)
  })
}

test('only what was parsed is used: other spellings of this machine become 127.0.0.1', () => {
  for (const text of ['http://0x7f.1/', 'http://2130706433/', 'http://017700000001/', 'http://127.1/']) {
    const read = readTarget(text, 'sandbox')
    assert.equal(read.ok && read.value.host, '127.0.0.1')
  }
})
