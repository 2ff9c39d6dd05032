import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { orNull, WireAmount } from '#capabilities/wire/scalars.wire.ts'
import { writeResult } from '#transport/soap/body-to-xml.ts'
import { readEnvelope } from '#transport/soap/read-envelope.ts'
import type { SoapOperation } from '#transport/soap/soap-operation.ts'

function operationWith(members: Record<string, TSchema>): SoapOperation {
  return {
    name: 'Probe',
    resultKey: 'ProbeResult',
    request: Type.Object({}),
    result: Type.Object(members),
    takesSessionKey: false,
    takesIdempotencyKey: false,
  }
}

function writtenMembers(members: Record<string, TSchema>, result: object): string {
  const xml = writeResult(operationWith(members), '1.1', result)
  return /<ProbeResult>(.*)<\/ProbeResult>/s.exec(xml)?.[1] ?? ''
}

const merchant = Type.Object({ ID: Type.Integer() }, { title: 'Merchant' })

const members: readonly [TSchema, unknown, string][] = [
  [Type.String(), 'a', '<X>a</X>'],
  [Type.String(), '', '<X></X>'],
  [Type.String(), '<&>"]]>', '<X>&lt;&amp;&gt;&quot;]]&gt;</X>'],
  [Type.String(), 'a\u0000b\u001f\ud800\uffff', '<X>a\ufffdb\ufffd\ufffd\ufffd</X>'],
  [Type.String(), '\r\n\t', '<X>&#13;\n\t</X>'],
  [Type.Boolean(), true, '<X>true</X>'],
  [Type.Integer(), -1, '<X>-1</X>'],
  [WireAmount('An amount.'), 10.1, '<X>10.1</X>'],
  [Type.Number(), 1e-7, '<X>0.0000001</X>'],
  [Type.Number(), 1e21, '<X>1000000000000000000000</X>'],
  [Type.Union([Type.Integer(), Type.String()]), 5, '<X>5</X>'],
  [Type.Union([Type.Integer(), Type.String()]), '05', '<X>05</X>'],
  [orNull(Type.String()), null, '<X xsi:nil="true"/>'],
  [orNull(Type.Object({ A: Type.String() })), null, '<X xsi:nil="true"/>'],
  [orNull(Type.Object({ A: Type.String() })), { A: 'b', B: 'dropped' }, '<X><A>b</A></X>'],
  [Type.Optional(Type.String()), undefined, ''],
  [Type.Array(Type.Integer()), [1, 2], '<X><long>1</long><long>2</long></X>'],
  [Type.Array(Type.String()), ['a'], '<X><string>a</string></X>'],
  [Type.Array(WireAmount('An amount.')), [0.5], '<X><decimal>0.5</decimal></X>'],
  [Type.Array(Type.Integer()), [], '<X></X>'],
  [Type.Array(merchant), [{ ID: 1 }], '<X><Merchant><ID>1</ID></Merchant></X>'],
  [Type.Array(Type.Object({ ID: Type.Integer() })), [{ ID: 1 }], '<X><item><ID>1</ID></item></X>'],
  [Type.Array(Type.Array(Type.Integer())), [[1]], '<X><list><long>1</long></list></X>'],
]

for (const [schema, value, xml] of members) {
  test(`writes ${JSON.stringify(value)} as ${JSON.stringify(xml)}`, () => {
    assert.equal(writtenMembers({ X: schema }, { X: value }), xml)
  })
}

test('writes the members in the order of the schema', () => {
  assert.equal(writtenMembers({ A: Type.Integer(), B: Type.Integer() }, { B: 2, A: 1 }), '<A>1</A><B>2</B>')
})

test('wraps the result in the response of the operation', () => {
  assert.equal(
    writeResult(operationWith({ A: Type.Integer() }), '1.2', { A: 1 }),
    '<?xml version="1.0" encoding="utf-8"?>\n' +
      '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body>' +
      '<ProbeResponse xmlns="urn:tillgate:cardproc:v1"><ProbeResult><A>1</A></ProbeResult></ProbeResponse>' +
      '</s:Body></s:Envelope>',
  )
})

const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(Math.abs(unit))),
  ),
})

test('writes every text so that it can be read again', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const reading = readEnvelope(writeResult(operationWith({ A: Type.String() }), '1.1', { A: text }))
      assert(reading.ok, JSON.stringify(reading))
      const read = reading.value.operation.children[0]?.children[0]?.text
      const carried = text.toWellFormed().replace(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
      assert.equal(read, carried)
    }),
    { numRuns: 500 },
  )
})
