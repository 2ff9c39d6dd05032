import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEnvelope } from '#transport/soap/read-envelope.ts'

const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/'
const soap12 = 'http://www.w3.org/2003/05/soap-envelope'

function envelope(body: string, { namespace = soap11, header = '' } = {}): string {
  return `<s:Envelope xmlns:s="${namespace}">${header}<s:Body>${body}</s:Body></s:Envelope>`
}

function nested(depth: number): string {
  return `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
}

const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]>`

const hostile: readonly [string, string, RegExp][] = [
  ['an empty body', '', /root element/],
  ['JSON', '{}', /no XML/],
  ['plain text', 'hello', /no XML/],
  [
    'an external entity',
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///x">]>${envelope('<a>&x;</a>')}`,
    /document type/,
  ],
  [
    'an external document type',
    `<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd">${envelope('<a/>')}`,
    /document type/,
  ],
  ['a billion laughs', `${laughs}${envelope('<a>&c;</a>')}`, /document type/],
  ['a document type in lower case', `<!doctype html>${envelope('<a/>')}`, /no XML/],
  ['a document type that never ends', `<!DOCTYPE a [${'<!ENTITY x "x">'.repeat(1_000)}`, /document type/],
  ['an undefined entity', envelope('<a>&nbsp;</a>'), /undefined entity/],
  ['an entity named like an inherited property', envelope('<a>&constructor;</a>'), /undefined entity/],
  ['crossed tags', '<a><b></a>', /unexpected close tag/],
  ['an unclosed envelope', `<s:Envelope xmlns:s="${soap11}"><s:Body>`, /unclosed tag/],
  ['a duplicate attribute', envelope('<a x="1" x="2"/>'), /duplicate attribute/],
  [
    'a duplicate attribute by namespace',
    envelope('<a xmlns:p="urn:n" xmlns:q="urn:n" p:x="1" q:x="2"/>'),
    /duplicate attribute/,
  ],
  ['an unbound prefix', envelope('<p:a/>'), /unbound namespace prefix/],
  ['a processing instruction', envelope('<?php echo 1 ?><a/>'), /processing instructions/],
  [
    'a style sheet before the envelope',
    `<?xml-stylesheet href="x"?>${envelope('<a/>')}`,
    /processing instructions/,
  ],
  ['a million numeric references', envelope(`<a>${'&#65;'.repeat(1_000_000)}</a>`), /longer than/],
  ['forty thousand numeric references', envelope(`<a>${'&#65;'.repeat(40_000)}</a>`), /character references/],
  ['a reference to a control character', envelope('<a>&#1;</a>'), /no XML/],
  ['a control character', envelope('<a>\u0001</a>'), /disallowed character/],
  ['thirty-three levels', envelope(nested(31)), /deeper than 32/],
  ['fifty thousand unclosed levels', '<a>'.repeat(50_000), /deeper than 32/],
  [
    'more elements than any call has',
    envelope(`<a>${'<b/>'.repeat(30_000)}</a>`),
    /more than 20000 elements/,
  ],
  [
    'an element with more attributes than any has',
    envelope(`<a ${Array.from({ length: 101 }, (_, at) => `b${at}="1"`).join(' ')}/>`),
    /more than 100 attributes/,
  ],
  ['a document type after a comment', `<!-- <a> --><!DOCTYPE a>${envelope('<a/>')}`, /document type/],
  ['two roots', `${envelope('<a/>')}<b/>`, /one root/],
  ['text after the envelope', `${envelope('<a/>')} and more`, /outside of root/],
  ['another encoding', `<?xml version="1.0" encoding="ISO-8859-1"?>${envelope('<a/>')}`, /UTF-8/],
  ['XML 1.1', `<?xml version="1.1"?>${envelope('<a/>')}`, /XML version/],
  ['XML that is no envelope', '<Authenticate xmlns="urn:tillgate:cardproc:v1"/>', /no SOAP Envelope/],
  ['an empty envelope', `<s:Envelope xmlns:s="${soap11}"/>`, /one Body/],
  ['an empty body element', envelope(''), /one element/],
  ['two operations', envelope('<a/><b/>'), /one element/],
  ['text beside the operation', envelope('<a/>x'), /one element/],
  ['two bodies', envelope('<a/></s:Body><s:Body><a/>'), /one Body/],
  ['two headers', envelope('<a/>', { header: '<s:Header/><s:Header/>' }), /one Body/],
  ['a header after the body', envelope('<a/></s:Body><s:Header/><s:Body><a/>'), /one Body/],
  ['a body of no namespace', `<s:Envelope xmlns:s="${soap11}"><Body><a/></Body></s:Envelope>`, /one Body/],
  ['text in the envelope', envelope('<a/>', { header: 'x' }), /one Body/],
]

for (const [what, document, problem] of hostile) {
  test(`refuses ${what}`, () => {
    const reading = readEnvelope(document)
    assert(!reading.ok)
    assert.equal(reading.refusal.kind, 'Sender')
    assert.match(String(reading.refusal.details['problem']), problem)
  })
}

const harmless: readonly [string, string, string][] = [
  ['plain text', '<a>b</a>', 'b'],
  ['an attribute on each of many elements', `<a>b${'<c d="1"/>'.repeat(10_000)}</a>`, 'b'],
  ['a CDATA section', '<a>x<![CDATA[<b>&amp;]]>y</a>', 'x<b>&amp;y'],
  ['a comment', '<!-- before --><a>x<!-- <b> -->y</a>', 'xy'],
  ['the five entities of XML and a numeric one', '<a>&lt;&gt;&amp;&quot;&apos;&#x20AC;</a>', '<>&"\'€'],
  ['line ends of every kind', '<a>1\r\n2\r3&#13;</a>', '1\n2\n3\r'],
  ['letters outside the basic plane', `<a>${'𝒳'.repeat(3_000)}</a>`, '𝒳'.repeat(3_000)],
]

for (const [what, body, text] of harmless) {
  for (const [version, namespace] of [
    ['1.1', soap11],
    ['1.2', soap12],
  ] as const) {
    test(`reads ${what} in SOAP ${version}`, () => {
      const reading = readEnvelope(envelope(body, { namespace }))
      assert(reading.ok)
      assert.equal(reading.value.version, version)
      assert.equal(reading.value.operation.name, 'a')
      assert.equal(reading.value.operation.text, text)
    })
  }
}

test('reads thirty-two levels', () => {
  assert(readEnvelope(envelope(nested(30))).ok)
})

test('reads a declaration, blanks and comments around the envelope', () => {
  assert(
    readEnvelope(`<?xml version="1.0" encoding="utf-8"?>\n<!-- x -->\n${envelope('<a/>')}\n<!-- x -->\n`).ok,
  )
})

test('answers an envelope of another namespace with a version mismatch', () => {
  const reading = readEnvelope(envelope('<a/>', { namespace: 'urn:soap:3' }))
  assert(!reading.ok)
  assert.equal(reading.refusal.kind, 'VersionMismatch')
})

const headers: readonly [string, string, string, 'read' | 'refused'][] = [
  ['an unknown header', soap11, '<x/>', 'read'],
  ['a header that may be ignored', soap11, '<x s:mustUnderstand="0"/>', 'read'],
  ['a header that must be understood', soap11, '<x s:mustUnderstand="1"/>', 'refused'],
  ['a header that must be understood, in 1.2', soap12, '<x s:mustUnderstand="true"/>', 'refused'],
  ['the second of two headers', soap11, '<x/><y s:mustUnderstand="1"/>', 'refused'],
  ['an attribute of the same name without namespace', soap11, '<x mustUnderstand="1"/>', 'read'],
  ['a header for another node', soap11, '<x s:mustUnderstand="1" s:actor="urn:other"/>', 'read'],
  ['a header for another role', soap12, '<x s:mustUnderstand="1" s:role="urn:other"/>', 'read'],
  ['a header for the next node', soap12, `<x s:mustUnderstand="1" s:role="${soap12}/role/next"/>`, 'refused'],
]

for (const [what, namespace, header, expected] of headers) {
  test(`${what} is ${expected}`, () => {
    const reading = readEnvelope(envelope('<a/>', { namespace, header: `<s:Header>${header}</s:Header>` }))
    assert.equal(reading.ok ? 'read' : reading.refusal.kind, expected === 'read' ? 'read' : 'MustUnderstand')
  })
}
