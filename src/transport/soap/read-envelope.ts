import { ok, refuse, type Result } from '#kernel/result.ts'
import { readXml, type XmlElement } from '#transport/soap/read-xml.ts'
import { envelopeNamespaces, type SoapVersion, versionOfNamespace } from '#transport/soap/soap-version.ts'

// In the words of SOAP 1.2. SOAP 1.1 calls the first two Client and Server.
export type FaultCode = 'Sender' | 'Receiver' | 'VersionMismatch' | 'MustUnderstand'

export type SoapRequest = { readonly version: SoapVersion; readonly operation: XmlElement }

// What is known of a request that is no SOAP call is the version in which it was tried.
type SoapReading = Result<SoapRequest, FaultCode, SoapVersion>

// The roles in which a header is meant for us; one for another node on the way may be ignored.
const rolesOfOurs = new Set([
  '',
  'http://schemas.xmlsoap.org/soap/actor/next',
  'http://www.w3.org/2003/05/soap-envelope/role/next',
  'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
])

export function readEnvelope(document: string): SoapReading {
  const read = readXml(document)
  if (!read.ok) return refuse('Sender', { problem: `The body is no XML: ${read.refusal.details['problem']}` })

  const root = read.value
  if (root.name !== 'Envelope') return refuse('Sender', { problem: 'The root element is no SOAP Envelope' })
  const version = versionOfNamespace(root.namespace)
  if (!version) {
    return refuse('VersionMismatch', { problem: 'The Envelope is neither of SOAP 1.1 nor of SOAP 1.2' })
  }
  return readParts(root, version)
}

function readParts(root: XmlElement, version: SoapVersion): SoapReading {
  const isPart = (element: XmlElement | undefined, name: string): boolean =>
    element?.name === name && element.namespace === envelopeNamespaces[version]
  const header = isPart(root.children[0], 'Header') ? root.children[0] : undefined
  const [body, ...others] = header ? root.children.slice(1) : root.children

  if (!body || !isPart(body, 'Body') || others.length > 0 || hasText(root)) {
    const problem = 'An Envelope holds one Header at the most, then one Body, and nothing else'
    return refuse('Sender', { problem }, version)
  }
  const strange = header?.children.find((block) => mustBeUnderstood(block, version))
  if (strange) {
    return refuse(
      'MustUnderstand',
      { problem: `The header ${strange.name.slice(0, 100)} is not understood here` },
      version,
    )
  }
  const [operation, ...more] = body.children
  if (!operation || more.length > 0 || hasText(body)) {
    return refuse('Sender', { problem: 'The Body must hold one element, the operation' }, version)
  }
  return ok({ version, operation })
}

function mustBeUnderstood(block: XmlElement, version: SoapVersion): boolean {
  const valueOf = (name: string): string => {
    const isIt = (attribute: { namespace: string; name: string }) =>
      attribute.name === name && attribute.namespace === envelopeNamespaces[version]
    return block.attributes.find(isIt)?.value.trim() ?? ''
  }
  const isForUs = rolesOfOurs.has(valueOf(version === '1.1' ? 'actor' : 'role'))
  return isForUs && ['1', 'true'].includes(valueOf('mustUnderstand'))
}

function hasText(element: XmlElement): boolean {
  return element.text.trim() !== ''
}
