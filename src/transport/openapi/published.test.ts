import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { operations } from '#capabilities/operations.ts'
import { type ReadRequest, requestReader } from '#capabilities/wire/read-request.ts'
import type { Result } from '#kernel/result.ts'
import { writeSchema } from '#transport/openapi/named-schemas.ts'

// Whatever a generated client checks before it sends, it must not keep back what the server takes.

type Part = Readonly<Record<string, unknown>>
type Text = { readonly path: readonly string[]; readonly pattern: RegExp; readonly lengthMin: number }
type Reading = { readonly fromWire: (body: object, who: object) => Result<unknown, string> }

const texts = [
  '',
  ' ',
  '-1',
  'x',
  'TEXT',
  'sms',
  ' UrlOnly ',
  'MONTHLY',
  ' bi_weekly',
  '8',
  ' 3 ',
  '9',
  '110000000',
  ' 110000000',
  '11000000',
  'a@b',
  ' ada@shop.example ',
  'a b@c',
  '+1 (212) 555-0123',
  'call 1 ext. 2',
  '12345678901234567',
  '1234',
  '123',
  '1 2-34',
]

function textsIn(schema: Part, path: readonly string[] = []): readonly Text[] {
  const { properties = {}, anyOf } = schema
  const inner = Object.entries(Object(properties) as Record<string, Part>)
  const below = inner.flatMap(([name, part]) => textsIn(part, [...path, name]))
  const ways = Array.isArray(anyOf) ? (anyOf as readonly Part[]).flatMap((part) => textsIn(part, path)) : []
  const written = writeSchema(new Map(), 'request', schema) as Part
  const hasForm = written['type'] === 'string' && ('pattern' in written || 'minLength' in written)
  const { pattern, minLength } = { pattern: '', minLength: 0, ...written }
  const own = { path, pattern: new RegExp(pattern), lengthMin: minLength }
  return [...below, ...ways, ...(hasForm ? [own] : [])]
}

function withText(body: object, [name = '', ...rest]: readonly string[], text: string): object {
  const inner = rest.length > 0 ? withText(Object(Reflect.get(body, name)), rest, text) : text
  return { ...body, [name]: inner }
}

function takes(contract: ContractFacts & Partial<Reading>, read: ReadRequest, body: object): boolean {
  const known = read(body)
  return known.ok && contract.fromWire?.(known.value, { merchants: [] }).ok === true
}

const formed = operations.flatMap(({ contract }) =>
  textsIn({ ...contract.request }).map((text) => ({ contract, text })),
)

test('many texts of requests have a form', () => assert(formed.length > 30, String(formed.length)))

for (const { contract, text } of formed)
  test(`the form of ${text.path.join('.')} of ${contract.path} lets through all that is taken`, () => {
    const read = requestReader(contract.request)
    for (const sent of texts) {
      const isLetThrough = sent.length >= text.lengthMin && text.pattern.test(sent)
      const isTaken = takes(contract, read, withText(contract.example.request, text.path, sent))
      assert(isLetThrough || !isTaken, `'${sent}' is taken`)
    }
  })
