import type { TObject, TSchema } from 'typebox'
import { titleOf } from '#transport/schema-title.ts'
import { isNullable, isRequired, itemName, shapeOf, xsdTypes } from '#transport/soap/schema-shape.ts'

// The named types of the WSDL, in the order in which they were first met.
export type NamedTypes = Map<string, string>

// Names a type and writes its definition once. An object is called by its title, or else by its position.
function nameType(types: NamedTypes, schema: TSchema, position: string): string {
  const shape = shapeOf(schema)
  if (shape.kind === 'object') {
    const content = writeSequence(types, shape.schema, position)
    const title = titleOf(shape.schema)
    return `tns:${title === null ? nameByPosition(types, position, content) : define(types, title, content)}`
  }
  if (shape.kind === 'list') {
    const type = nameType(types, shape.items, `${position}_item`)
    const range = ' minOccurs="0" maxOccurs="unbounded"'
    const item = writeMember(itemName(shape.items), type, `${range}${nillable(shape.items)}`)
    return `tns:${define(types, `ArrayOf${type.replace(/^\w+:/, '')}`, sequence(item))}`
  }
  return `xs:${xsdTypes[shape.kind]}`
}

// The members of an object as the content of a complex type.
export function writeSequence(types: NamedTypes, schema: TObject, position: string): string {
  const members = Object.entries(schema.properties).map(([name, member]) => {
    const type = nameType(types, member, `${position}_${name}`)
    return writeMember(name, type, `${isRequired(schema, name) ? '' : ' minOccurs="0"'}${nillable(member)}`)
  })
  return sequence(members.join(''))
}

export function sequence(members: string): string {
  return `<xs:sequence>${members}</xs:sequence>`
}

function writeMember(name: string, type: string, facets: string): string {
  return `<xs:element name="${name}" type="${type}"${facets}/>`
}

function nillable(schema: TSchema): string {
  return isNullable(schema) ? ' nillable="true"' : ''
}

// Schemas without a title are the same type when they look the same.
function nameByPosition(types: NamedTypes, position: string, content: string): string {
  const [known] = [...types].find(([, other]) => other === content) ?? []
  return known ?? define(types, position, content)
}

// Two different types that ask for one name are told apart by a number.
export function define(types: NamedTypes, wanted: string, content: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}${number}`
    const known = types.get(name)
    if (known === content) return name
    if (known === undefined) {
      types.set(name, content)
      return name
    }
  }
}
