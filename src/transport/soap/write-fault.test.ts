import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultCode } from '#transport/soap/read-envelope.ts'
import { readXml } from '#transport/soap/read-xml.ts'
import type { SoapVersion } from '#transport/soap/soap-version.ts'
import { writeFault } from '#transport/soap/write-fault.ts'

const faults: readonly [SoapVersion, FaultCode, number, string][] = [
  ['1.1', 'Sender', 500, '<faultcode>s:Client</faultcode>'],
  ['1.1', 'Receiver', 500, '<faultcode>s:Server</faultcode>'],
  ['1.1', 'VersionMismatch', 500, '<faultcode>s:VersionMismatch</faultcode>'],
  ['1.1', 'MustUnderstand', 500, '<faultcode>s:MustUnderstand</faultcode>'],
  ['1.2', 'Sender', 400, '<s:Code><s:Value>s:Sender</s:Value></s:Code>'],
  ['1.2', 'Receiver', 500, '<s:Code><s:Value>s:Receiver</s:Value></s:Code>'],
  ['1.2', 'VersionMismatch', 500, '<s:Code><s:Value>s:VersionMismatch</s:Value></s:Code>'],
  ['1.2', 'MustUnderstand', 500, '<s:Code><s:Value>s:MustUnderstand</s:Value></s:Code>'],
]

for (const [version, code, status, xml] of faults) {
  test(`writes ${code} of SOAP ${version} with HTTP ${status}`, () => {
    const fault = writeFault(version, { code, reason: 'a < b \u0000' })
    assert.equal(fault.status, status)
    assert.match(fault.contentType, version === '1.1' ? /^text\/xml;/ : /^application\/soap\+xml;/)
    assert(fault.body.includes(xml))
    assert(fault.body.includes('xml:lang="en">a &lt; b \ufffd</'))
    assert(readXml(fault.body).ok)
  })
}
