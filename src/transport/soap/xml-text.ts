// Everything that XML 1.0 cannot carry, not even as a reference, except lone surrogates, which toWellFormed()
// replaces.
// oxlint-disable-next-line no-control-regex
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

// Safe between tags and between double quotes. A carriage return is written as a reference, because readers
// turn a plain one into a line feed.
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(notInXml, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
}
