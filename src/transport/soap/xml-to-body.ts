import type { TObject, TSchema } from 'typebox'
import { aliasedMember } from '#capabilities/wire/other-members.ts'
import { significantDigits } from '#kernel/decimal.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'
import { readSessionKey, sessionKeyName } from '#transport/session-key.ts'
import type { XmlElement } from '#transport/soap/read-xml.ts'
import { type ScalarKind, shapeOf } from '#transport/soap/schema-shape.ts'
import { isIdempotencyKeyName, keyMembersOf } from '#transport/idempotency-key.ts'
import { type SoapOperation, targetNamespace } from '#transport/soap/soap-operation.ts'
import { schemaInstanceNamespace } from '#transport/soap/soap-version.ts'

type Parameters = {
  // What REST would have received for the same call.
  readonly body: unknown
  readonly sessionKey: Secret | null
  // In whatever capitals they were sent.
  readonly idempotencyKeys: readonly string[]
}

const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
// A decimal of XML Schema that has digits on one side of its point only.
const lopsidedDecimal = /^([+-]?)(?:(\d+)\.|\.(\d+))$/
const significantDigitsMax = 15

export function readParameters(
  element: XmlElement,
  operation: SoapOperation,
): Result<Parameters, 'malformed_request'> {
  const repeated = findRepeated(element, operation.request)
  if (repeated !== null) {
    return refuse('malformed_request', { problem: `the element ${repeated} occurs more than once` })
  }
  const value = readValue(element, operation.request)
  if (!isMembers(value)) return ok({ body: value, sessionKey: null, idempotencyKeys: [] })

  const { takesSessionKey, takesIdempotencyKey } = operation
  const isKey = (name: string): boolean =>
    (takesSessionKey && name === sessionKeyName) || (takesIdempotencyKey && isIdempotencyKeyName(name))
  return ok({
    body: Object.fromEntries(Object.entries(value).filter(([name]) => !isKey(name))),
    sessionKey: takesSessionKey ? readSessionKey(value[sessionKeyName]) : null,
    idempotencyKeys: takesIdempotencyKey ? keyMembersOf(value).flatMap(textFrom) : [],
  })
}

// A member that is named twice means that two readers of the same call could see different calls.
function findRepeated(element: XmlElement, schema: TSchema): string | null {
  const shape = shapeOf(schema)
  if (shape.kind === 'list') return firstRepeated(element.children, () => shape.items)
  if (shape.kind !== 'object') return null

  const seen = new Set<string>()
  const members = membersOf(element)
  for (const { name } of members) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return firstRepeated(members, ({ name }) => schemaOf(name, shape.schema))
}

function firstRepeated(
  elements: readonly XmlElement[],
  schemaFor: (element: XmlElement) => TSchema | undefined,
): string | null {
  for (const element of elements) {
    const schema = schemaFor(element)
    const repeated = schema ? findRepeated(element, schema) : null
    if (repeated !== null) return repeated
  }
  return null
}

// Converts what can be converted. What does not fit its schema is left as the text it is (or as an object
// where a text belongs), so that the check behind REST and SOAP refuses it by name, with one set of words for
// both.
function readValue(element: XmlElement, schema: TSchema): unknown {
  if (isNil(element)) return null
  const shape = shapeOf(schema)
  const hasText = element.text.trim() !== ''
  if (shape.kind === 'object') return hasText ? element.text : readMembers(element, shape.schema)
  // Every child of a list is an item, whatever it is called: to drop one for its name would change the call
  // silently.
  if (shape.kind === 'list') {
    return hasText ? element.text : element.children.map((child) => readValue(child, shape.items))
  }
  return element.children.length > 0 ? {} : readScalar(element.text, shape.kind)
}

function readMembers(element: XmlElement, schema: TObject): object {
  const members: [string, unknown][] = []
  for (const child of membersOf(element)) {
    const memberSchema = schemaOf(child.name, schema)
    if (isNil(child) || isAbsent(child, memberSchema)) continue
    members.push([child.name, memberSchema ? readValue(child, memberSchema) : readUnknown(child)])
  }
  return Object.fromEntries(members)
}

function schemaOf(name: string, { properties }: TObject): TSchema | undefined {
  const member = Object.hasOwn(properties, name) ? name : aliasedMember(properties, name)
  return member === undefined ? undefined : properties[member]
}

const hasEmptyValue: readonly string[] = ['text', 'list', 'object']

// An empty element is how many clients write that there is no number. Of a text it is the empty text, of a
// list the empty list, as over REST.
function isAbsent({ children, text }: XmlElement, schema: TSchema | undefined): boolean {
  if (children.length > 0 || text.trim() !== '') return false
  return !schema || !hasEmptyValue.includes(shapeOf(schema).kind)
}

// Its value is not read, but that it was sent counts.
function readUnknown(element: XmlElement): unknown {
  return element.children.length > 0 ? {} : element.text
}

function readScalar(text: string, kind: ScalarKind): unknown {
  const token = text.trim()
  if (kind === 'text') return text
  if (kind === 'amount') return readAmount(token)
  if (kind === 'boolean') return readBoolean(token)
  const number = readNumber(token)
  // Where texts are welcome too, 007 is one.
  if (kind === 'number-or-text' && String(number) !== token) return text
  return number ?? token
}

// As REST would have received it: .5 as 0.5, and 5. as 5. An exponent is none of a decimal, and stays.
function readAmount(token: string): string {
  const match = lopsidedDecimal.exec(token)
  if (!match) return token
  const [, sign = '', whole = '0', fraction] = match
  return fraction === undefined ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

function readNumber(token: string): number | null {
  if (!numberPattern.test(token) || significantDigits(token) > significantDigitsMax) return null
  const number = Number(token)
  return Number.isFinite(number) ? number : null
}

function readBoolean(token: string): unknown {
  if (token === 'true' || token === '1') return true
  return token === 'false' || token === '0' ? false : token
}

// Known or not; the check behind REST and SOAP judges those that are not.
function membersOf(element: XmlElement): readonly XmlElement[] {
  return element.children.filter(({ namespace }) => isOurs(namespace))
}

// Clients that forget to qualify the members are common enough to be served.
export function isOurs(namespace: string): boolean {
  return namespace === targetNamespace || namespace === ''
}

function isNil(element: XmlElement): boolean {
  return element.attributes.some(
    ({ namespace, name, value }) =>
      namespace === schemaInstanceNamespace && name === 'nil' && ['1', 'true'].includes(value.trim()),
  )
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function textFrom(value: unknown): readonly string[] {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? [] : [text]
}
