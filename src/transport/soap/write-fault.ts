import { writeEnvelope } from '#transport/soap/body-to-xml.ts'
import type { FaultCode } from '#transport/soap/read-envelope.ts'
import { contentTypes, type SoapVersion } from '#transport/soap/soap-version.ts'
import { escapeXml } from '#transport/soap/xml-text.ts'

type Fault = { readonly code: FaultCode; readonly reason: string }

type FaultAnswer = { readonly status: number; readonly contentType: string; readonly body: string }

const codesOfVersion11 = {
  Sender: 'Client',
  Receiver: 'Server',
  VersionMismatch: 'VersionMismatch',
  MustUnderstand: 'MustUnderstand',
} as const satisfies Record<FaultCode, string>

export function writeFault(version: SoapVersion, fault: Fault): FaultAnswer {
  const content = version === '1.1' ? faultOfVersion11(fault) : faultOfVersion12(fault)
  return {
    // SOAP 1.1 demands 500 for every fault; the HTTP binding of SOAP 1.2 has 400 for the sender's.
    status: version === '1.2' && fault.code === 'Sender' ? 400 : 500,
    contentType: contentTypes[version],
    body: writeEnvelope(version, `<s:Fault>${content}</s:Fault>`),
  }
}

function faultOfVersion11({ code, reason }: Fault): string {
  return (
    `<faultcode>s:${codesOfVersion11[code]}</faultcode>` +
    `<faultstring xml:lang="en">${escapeXml(reason)}</faultstring>`
  )
}

function faultOfVersion12({ code, reason }: Fault): string {
  return (
    `<s:Code><s:Value>s:${code}</s:Value></s:Code>` +
    `<s:Reason><s:Text xml:lang="en">${escapeXml(reason)}</s:Text></s:Reason>`
  )
}
