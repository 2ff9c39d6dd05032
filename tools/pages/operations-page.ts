import type { TSchema } from 'typebox'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts, ObjectSchema } from '#capabilities/wire/contract.ts'
import { doneEnvelope } from '#capabilities/wire/envelope.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'
import { generatedNote, markdownTable } from './markdown.ts'

export function writeOperationsPage(): string {
  const contracts = operations.map(({ contract }) => contract)
  return `${generatedNote}

# Operations

Every operation is a POST with a JSON body, reachable under both prefixes, \`/APIcardProcService/v1.0.0/\`
and \`/APIcardProcREST/v1.0.0/\`; the canonical path is given. All but Authenticate need the header
\`SessKey\`. Every result also carries the envelope \`FunctionOk\`, \`ErrCode\`, \`ErrMsg\`, \`RespMsg\`. A
running gateway shows the same at \`/docs\`.

${contracts.map(writeOperation).join('\n')}`
}

function writeOperation(contract: ContractFacts): string {
  const { title, description, prefix, path, resultKey, isBeyondSpecification, refusals, example } = contract
  const result = { [resultKey]: { ...doneEnvelope(example.message), ...example.result } }
  return `## ${title}

\`POST ${prefix}${path}\` → \`${resultKey}\`; SOAP operation \`${resultKey.replace(/Result$/, '')}\`.${
    isBeyondSpecification ? ' Beyond the specification.' : ''
  }

${description}

${membersTable('Request', contract.request)}
${membersTable('Result', contract.result)}
Refusals: ${refusals.map((name) => `${errorCodes[name].code} ${name.replaceAll('_', ' ')}`).join(', ')}.

\`\`\`json
${JSON.stringify(example.request, null, 2)}
\`\`\`

\`\`\`json
${JSON.stringify(result, null, 2)}
\`\`\`
`
}

function membersTable(title: string, schema: ObjectSchema): string {
  const rows = memberRows(schema, '')
  if (rows.length === 0) return `${title}: no members.\n`
  return `${markdownTable([`${title} member`, 'Type', 'Required', 'Meaning'], rows)}\n`
}

function memberRows(schema: ObjectSchema, path: string): readonly (readonly string[])[] {
  const { required } = keywordsOf(schema)
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const isRequired = required?.includes(name) ?? false
    const own = [
      `\`${path}${name}\``,
      typeWord(member),
      isRequired ? 'yes' : 'no',
      keywordsOf(member).description ?? '',
    ]
    const inner = innerObject(member)
    return inner ? [own, ...memberRows(inner.schema, `${path}${name}${inner.suffix}.`)] : [own]
  })
}

// The keywords of JSON Schema that the page tells; TypeBox's own types do not name them for every schema.
type Keywords = {
  readonly type?: string
  readonly description?: string
  readonly maxLength?: number
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
}

function keywordsOf(schema: TSchema): Keywords {
  return schema
}

function innerObject(member: TSchema): { schema: ObjectSchema; suffix: string } | null {
  const { anyOf = [], items } = keywordsOf(member)
  const object = [member, ...anyOf].find(isObjectSchema)
  if (object) return { schema: object, suffix: '' }
  return items && isObjectSchema(items) ? { schema: items, suffix: '[]' } : null
}

function isObjectSchema(schema: TSchema): schema is ObjectSchema {
  return 'properties' in schema
}

function typeWord(member: TSchema): string {
  const { anyOf, type = '', maxLength, enum: words } = keywordsOf(member)
  if (anyOf) return anyOf.map(typeWord).join(' or ')
  if (words) return words.map((word) => (word === '' ? 'empty' : `\`${word}\``)).join(', ')
  return maxLength === undefined ? type : `${type}, at most ${maxLength} characters`
}
