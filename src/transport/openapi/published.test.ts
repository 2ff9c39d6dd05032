import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { operations } from '#capabilities/operations.ts'
import { type ReadRequest, requestReader } from '#capabilities/wire/read-request.ts'
import type { Result } from '#kernel/result.ts'
import { writeSchema } from '#transport/openapi/named-schemas.ts'

// Whatever a generated client checks before it sends, it must not keep back what the server takes.

type Part = Readonly<Record<string, unknown>>
type Member = { readonly owner: string; readonly path: readonly string[]; readonly schema: Part }
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
  'pf',
  ' PA ',
  'Sw',
  'cppay',
  'payform/PF.aspx',
  ' //PayForm/PF.aspx ',
  'PayForm/PF',
  'a06F ',
  '0a06F',
  '#fff, red,blue,black,white,black,#ABCDEF',
  'red',
  ' payment.approved ',
  'payment-approved',
  '4242 4242-4242 4242',
  ' -4242424242424242- ',
  '4242424242424241',
]
const numbers = [-1, 0, 1, 8, 9, 12, 13, 26, 99, 100, 1999, 2000, 2026, 2099, 2100]

const isPublished = (schema: Part) => 'x-published' in schema

function membersIn(schema: Part, { owner, path }: Omit<Member, 'schema'>): readonly Member[] {
  const { properties = {}, anyOf = [], items, title } = schema
  const inner = Object.entries(Object(properties) as Record<string, Part>)
  const ways = [...(anyOf as readonly Part[]), ...(items === undefined ? [] : [items as Part])]
  return [
    ...inner.flatMap(([name, part]) =>
      membersIn(part, { owner: typeof title === 'string' ? title : owner, path: [...path, name] }),
    ),
    ...ways.flatMap((part) => membersIn(part, { owner, path })),
    { owner, path, schema },
  ]
}

function withMember(body: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const own: unknown = Reflect.get(body, name)
  if (rest.length > 0) return { ...body, [name]: withMember(Object(own), rest, value) }
  return { ...body, [name]: Array.isArray(own) ? [value] : value }
}

function takes(contract: ContractFacts & Partial<Reading>, read: ReadRequest, body: object): boolean {
  const known = read(body)
  return known.ok && contract.fromWire?.(known.value, { merchants: [] }).ok === true
}

// Beside a track other things are asked of a card.
function bodiesOf(
  { example: { request } }: ContractFacts,
  [outer = '']: readonly string[],
): readonly object[] {
  const card = { Track: ';4242424242424242=3012101?' }
  return outer === 'ccCardInfo' ? [request, { ...request, ccCardInfo: card }] : [request]
}

function lets(written: Part, sent: string | number): boolean {
  const { pattern = '', minLength = 0, minimum = -Infinity, maximum = Infinity } = written
  return typeof sent === 'string'
    ? sent.length >= Number(minLength) && new RegExp(String(pattern)).test(sent)
    : sent >= Number(minimum) && sent <= Number(maximum)
}

const members = operations.flatMap(({ contract }) =>
  membersIn({ ...contract.request }, { owner: 'body', path: [] }).map((member) => {
    const written = { ...writeSchema(new Map(), 'request', member.schema) } as Part
    return { ...member, contract, written, isText: written['type'] === 'string' }
  }),
)
const hasForm = (written: Part) => 'pattern' in written || 'minLength' in written
const formed = members.filter(({ schema, written, isText }) =>
  isText ? hasForm(written) : written['type'] === 'integer' && isPublished(schema),
)

test('many members of requests have a form', () => assert(formed.length > 50, String(formed.length)))

for (const { contract, path, written, isText } of formed) {
  const title = `${isText ? 'text' : 'number'} ${path.join('.')} of ${contract.path}`
  test(`the ${title} may be all that is taken`, () => {
    const read = requestReader(contract.request)
    const tried = isText ? texts : numbers
    for (const sent of tried) {
      const isTaken = bodiesOf(contract, path).some((body) =>
        takes(contract, read, withMember(body, path, sent)),
      )
      assert(lets(written, sent) || !isTaken, `'${sent}' is taken`)
    }
    assert(tried.some((sent) => lets(written, sent)))
    assert(!tried.every((sent) => lets(written, sent)))
  })
}

// A text that is new either has a form or is free, and then it stands here.
const free = {
  Address: 'Address1 Address2 City Country State ZIP',
  AnnualConsentMods: 'CustomerRefID RPGUID ServiceDescrip Zip',
  BillingAddress: 'City Country State StreetAddress ZIP',
  CardInfo: 'Track',
  ConsentCreator: 'CustomerRefID RPGUID ServiceDescrip StartDate',
  FormSubscription: 'ServiceDescrip StartDate',
  InitParams: 'EINDEX PostURL REF_ID RPGUID RedirectURL',
  Msg: 'DueOn EINDEX ExpiresOn MessageBody OptParam RPGUID RedirectURL RefID WidgetURL',
  Payer: 'Firstname Lastname',
  Person: 'Company Firstname Lastname Title Url',
  PurchItems: 'ClientRefID RPGUID ServiceDescrip',
  PurchaseDetails: 'ClientRefID RPGUID ServiceDescrip',
  Question: 'Answer Question',
  RecurringConsentCreator: 'CustomerRefID RPGUID ServiceDescrip StartDate',
  RecurringConsentMods: 'CustomerRefID RPGUID ServiceDescrip Zip',
  body: 'Currency Cursor Description DueDate IdempotencyKey PaymentUrl Query RefID URL User',
}

test('these texts of requests have no form, and no others', () => {
  const found = new Map<string, Set<string>>()
  for (const { owner, path, written, isText } of members) {
    if (!isText || hasForm(written)) continue
    found.set(owner, (found.get(owner) ?? new Set()).add(path.at(-1) ?? ''))
  }
  const listed = [...found].map(([owner, names]) => [owner, [...names].toSorted().join(' ')])
  assert.deepEqual(Object.fromEntries(listed), free)
})

for (const [path, list, name] of [
  ['Operation/Lookup', 'Operations', 'Kind'],
  ['Operation/Lookup', 'Operations', 'State'],
  ['Form/Query', 'Forms', 'BankStatus'],
] as const)
  test(`the words of ${name} that ${path} answers are listed`, () => {
    const result = operations.find(({ contract }) => contract.path === path)?.contract.result ?? {}
    const found = membersIn({ ...result }, { owner: path, path: [] }).find(
      (member) => member.path.join('.') === `${list}.${name}`,
    )
    assert(found?.schema['enum'] ?? found?.schema['pattern'])
  })
