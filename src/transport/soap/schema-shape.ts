import { type TObject, type TSchema, Type } from 'typebox'
import { assert } from '#kernel/assert.ts'
import { titleOf } from '#transport/schema-title.ts'

// What XML can tell apart of a schema; the reader, the writer and the WSDL all see it through these shapes.
export type ScalarKind = 'integer' | 'number' | 'amount' | 'boolean' | 'text' | 'number-or-text'
export type Shape =
  | { readonly kind: 'object'; readonly schema: TObject }
  | { readonly kind: 'list'; readonly items: TSchema }
  | { readonly kind: ScalarKind }

export function isNullable(schema: TSchema): boolean {
  return Type.IsNull(schema) || (Type.IsUnion(schema) && schema.anyOf.some(isNullable))
}

export function isRequired(object: TObject, member: string): boolean {
  const required: readonly string[] = object.required ?? []
  return required.includes(member)
}

export function shapeOf(schema: TSchema): Shape {
  if (Type.IsUnion(schema)) return shapeOfUnion(schema.anyOf)
  if (Type.IsObject(schema)) return { kind: 'object', schema }
  if (Type.IsArray(schema)) return { kind: 'list', items: schema.items }
  if ('x-amount' in schema && schema['x-amount'] === true) return { kind: 'amount' }
  if (Type.IsInteger(schema)) return { kind: 'integer' }
  if (Type.IsNumber(schema)) return { kind: 'number' }
  if (Type.IsBoolean(schema)) return { kind: 'boolean' }
  if (Type.IsString(schema) || Type.IsNull(schema)) return { kind: 'text' }
  if (Type.IsLiteral(schema)) return { kind: kindOfValues([schema.const]) }
  assert(Type.IsEnum(schema), 'a schema of the interface is made of objects, lists and scalars')
  return { kind: kindOfValues(schema.enum) }
}

function shapeOfUnion(alternatives: readonly TSchema[]): Shape {
  const [first, ...others] = alternatives.filter((schema) => !Type.IsNull(schema)).map(shapeOf)
  assert(first, 'a union has an alternative that is not null')
  if (others.length === 0) return first
  const kinds = new Set([first, ...others].map((shape) => shape.kind))
  assert(!kinds.has('object') && !kinds.has('list'), 'a union in XML is one of scalars')
  if (kinds.size === 1) return first
  const hasNumbers = kinds.has('integer') || kinds.has('number') || kinds.has('number-or-text')
  return { kind: hasNumbers ? 'number-or-text' : 'text' }
}

function kindOfValues(values: readonly unknown[]): ScalarKind {
  if (values.every((value) => typeof value === 'number')) return 'number'
  return values.every((value) => typeof value === 'boolean') ? 'boolean' : 'text'
}

// The names are those of XML Schema. Dates are texts, because more forms are read than xs:dateTime has.
export const xsdTypes = {
  integer: 'long',
  number: 'decimal',
  amount: 'decimal',
  boolean: 'boolean',
  text: 'string',
  'number-or-text': 'string',
} as const satisfies Record<ScalarKind, string>

// A list is wrapped: <SchedIDs><long>1</long><long>2</long></SchedIDs>. The items are named by what they are,
// in the way that .NET clients of this family know.
export function itemName(items: TSchema): string {
  const shape = shapeOf(items)
  if (shape.kind === 'object') return titleOf(shape.schema) ?? 'item'
  return shape.kind === 'list' ? 'list' : xsdTypes[shape.kind]
}
