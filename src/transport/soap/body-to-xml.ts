import type { TObject, TSchema } from 'typebox'
import { assert } from '#kernel/assert.ts'
import { parseDecimal, printDecimal } from '#kernel/decimal.ts'
import { itemName, shapeOf } from '#transport/soap/schema-shape.ts'
import { type SoapOperation, targetNamespace } from '#transport/soap/soap-operation.ts'
import {
  envelopeNamespaces,
  schemaInstanceNamespace,
  type SoapVersion,
} from '#transport/soap/soap-version.ts'
import { escapeXml } from '#transport/soap/xml-text.ts'

export function writeResult(
  { name, resultKey, result }: SoapOperation,
  version: SoapVersion,
  answer: object,
): string {
  const content = writeElement(resultKey, answer, result)
  const response = `<${name}Response xmlns="${targetNamespace}">${content}</${name}Response>`
  return writeEnvelope(version, response)
}

export function writeEnvelope(version: SoapVersion, content: string): string {
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    `<s:Envelope xmlns:s="${envelopeNamespaces[version]}" xmlns:xsi="${schemaInstanceNamespace}">` +
    `<s:Body>${content}</s:Body></s:Envelope>`
  )
}

function writeElement(name: string, value: unknown, schema: TSchema): string {
  if (value === undefined) return ''
  if (value === null) return `<${name} xsi:nil="true"/>`
  const shape = shapeOf(schema)
  if (shape.kind === 'object') return `<${name}>${writeMembers(value, shape.schema)}</${name}>`
  if (shape.kind === 'list') return `<${name}>${writeItems(value, shape.items)}</${name}>`
  return `<${name}>${escapeXml(printScalar(value))}</${name}>`
}

// In the order of the schema, as the WSDL announces it. What the schema does not name is not part of the
// answer.
function writeMembers(value: unknown, schema: TObject): string {
  assert(typeof value === 'object' && value !== null, 'an answer has an object where its schema has one')
  const members = new Map<string, unknown>(Object.entries(value))
  return Object.entries(schema.properties)
    .map(([name, memberSchema]) => writeElement(name, members.get(name), memberSchema))
    .join('')
}

function writeItems(value: unknown, items: TSchema): string {
  assert(Array.isArray(value), 'an answer has a list where its schema has one')
  const name = itemName(items)
  return value.map((item: unknown) => writeElement(name, item, items)).join('')
}

function printScalar(value: unknown): string {
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'string') return value
  assert(typeof value === 'boolean', 'an answer has a scalar where its schema has one')
  return String(value)
}

// xs:decimal knows no exponent.
function printNumber(value: number): string {
  const decimal = parseDecimal(String(value))
  assert(decimal, 'a number in an answer is finite')
  return printDecimal(decimal)
}
