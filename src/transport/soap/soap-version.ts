export type SoapVersion = '1.1' | '1.2'

export const envelopeNamespaces = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const satisfies Record<SoapVersion, string>

export const contentTypes = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
} as const satisfies Record<SoapVersion, string>

export const schemaInstanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

export function versionOfNamespace(namespace: string): SoapVersion | null {
  if (namespace === envelopeNamespaces['1.1']) return '1.1'
  return namespace === envelopeNamespaces['1.2'] ? '1.2' : null
}

// For answers to bodies that do not tell their version themselves.
export function versionOfContentType(contentType: string | undefined): SoapVersion {
  return /^\s*application\/soap\+xml\s*(?:;|$)/i.test(contentType ?? '') ? '1.2' : '1.1'
}
