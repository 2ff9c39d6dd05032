import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { nothingBeside, plainRules } from '#capabilities/wire/other-members.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

const visa = '4111111111111111'

type Shape = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxLength?: number
  readonly 'x-card-numbers'?: string
}
type Text = { readonly path: readonly string[]; readonly shape: Shape }

// Every text of a request, in lists too. Names of periods are a closed list of words.
function textsOf({ type, properties, items, ...shape }: Shape, path: readonly string[] = []): Text[] {
  if (properties)
    return Object.entries(properties).flatMap(([name, inner]) => textsOf(inner, [...path, name]))
  if (items) return textsOf(items, [...path, '0'])
  return type === 'string' ? [{ path, shape }] : []
}

function putAt(body: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (name === '') return value
  const inner: unknown = Reflect.get(Object(body), name)
  if (name === '0') return [putAt(inner, rest, value)]
  return { ...Object(body), [name]: putAt(inner, rest, value) }
}

// Of members that the examples leave out.
const subscription = { NumPayments: 3, TotalAmount: 30, Period: 4 }

function bodyWith({ example: { request } }: ContractFacts, path: readonly string[], value: string): unknown {
  const isNew = path.includes('Subscription')
  return putAt(isNew ? putAt(request, path.slice(0, -1), subscription) : request, path, value)
}

const pathText = (path: readonly string[]): string => path.join('.').replaceAll('.0', '[0]')

function readWith(contract: ContractFacts, { path }: Text, value: string) {
  const beside = nothingBeside()
  const read = requestReader(contract.request, plainRules)(bodyWith(contract, path, value), beside)
  return { read, beside }
}

const texts = operations.flatMap(({ contract }) =>
  textsOf(contract.request).map((text) => ({ contract, text, name: pathText(text.path) })),
)
const long = texts.filter(({ text }) => (text.shape.maxLength ?? Infinity) >= visa.length)
const withRule = (rule: string | undefined) =>
  long.filter(({ text }) => text.shape['x-card-numbers'] === rule)
const namesWith = (rule: string): readonly string[] =>
  [...new Set(withRule(rule).map(({ text }) => text.path.at(-1) ?? ''))].toSorted((a, b) => (a < b ? -1 : 1))

describe('a card number in a text of a request', () => {
  for (const { contract, text, name } of [...withRule(undefined), ...withRule('over-15-digits')]) {
    test(`${contract.path} refuses it in ${name}`, () => {
      const value = name.endsWith('Email') ? `${visa}@example.com` : '4111 1111-1111 1111'
      const { read } = readWith(contract, text, value)
      assert(!read.ok)
      assert.equal(read.refusal.kind, 'value_out_of_range')
      const words = JSON.stringify(read.refusal)
      assert.ok(words.includes(`${name} contains a card number`), words)
      assert.doesNotMatch(words, /1111/)
    })
  }

  for (const { contract, text, name } of withRule('by-record')) {
    test(`${contract.path} leaves it in ${name} to the merchant record`, () => {
      const { read, beside } = readWith(contract, text, `order ${visa}`)
      assert(read.ok)
      assert.deepEqual([...beside.cardLike], [name])
    })
  }

  test('is accepted only in members that are made for numbers, secrets, addresses, dates and cursors', () => {
    assert.deepEqual(namesWith('allowed'), [
      'AccountNumber',
      'Cursor',
      'DueDate',
      'PaymentUrl',
      'PostURL',
      'RedirectURL',
      'StartDate',
      'Token',
      'Track',
      'URL',
      'Url',
      'WidgetURL',
    ])
  })

  test('is left to the merchant record only in references', () => {
    assert.deepEqual(namesWith('by-record'), [
      'ClientRefID',
      'CustomerRefID',
      'IdempotencyKey',
      'Query',
      'REF_ID',
      'RPGUID',
      'RefID',
      'ServiceDescrip',
    ])
  })

  test('is a phone number where phone numbers are expected, up to 15 digits', () => {
    const charge = texts.find(({ name }) => name === 'AcctHolder.Phone')
    assert(charge)
    assert.ok(readWith(charge.contract, charge.text, '+49 1512 3456 7892').read.ok)
    assert.ok(readWith(charge.contract, charge.text, `4${'2'.repeat(12)}`).read.ok)
  })
})

const marks = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069']

describe('a text that changes the direction of the text around it', () => {
  for (const { contract, text, name } of long) {
    test(`${contract.path} refuses it in ${name}`, () => {
      for (const mark of marks) {
        const { read } = readWith(contract, text, `ab${mark}cd`)
        assert(!read.ok)
        assert.equal(read.refusal.kind, 'illegal_characters')
        assert.deepEqual(read.refusal.details, { member: name })
      }
    })
  }

  const welcome = [
    ['Arabic', 'محمد الأمين'],
    ['Hebrew', 'שלום עליכם'],
    ['Persian with a joiner that keeps letters apart', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['an emoji of several', '👩\u200d👩\u200d👧'],
  ] as const
  for (const [what, value] of welcome) {
    test(`${what} is welcome`, () => {
      const name = texts.find((one) => one.name === 'AcctHolder.Firstname')
      assert(name)
      assert.ok(readWith(name.contract, name.text, value).read.ok)
    })
  }
})

describe('over HTTP', () => {
  const gateway = useGateway()
  const chargePath = 'CardSale/Manual'
  const contract = operations.find((one) => one.contract.path === chargePath)?.contract

  const refused: readonly (readonly [string, (body: object) => object, Readonly<Record<string, string>>])[] =
    [
      ['User', (body) => ({ ...body, User: visa }), {}],
      ['PurchItems.ClientRefID', (body) => ({ ...body, PurchItems: { ClientRefID: visa } }), {}],
      ['Idempotency-Key', (body) => body, { 'idempotency-key': `order:${visa}` }],
    ]
  for (const [member, change, headers] of refused) {
    test(`a charge with a card number in ${member} is refused by name, without the number`, async () => {
      assert(contract)
      const sessionKey = await gateway().signIn()
      const body = change(contract.example.request)
      const path = contract.prefix + chargePath
      const answer = await gateway().post(path, body, { SessKey: sessionKey, ...headers })
      const { ErrCode, ErrMsg } = readAnswer(answer, contract.resultKey)
      assert.equal(answer.status, 400)
      assert.equal(ErrCode, 4003, ErrMsg)
      assert.ok(ErrMsg.includes(`${member} contains a card number`), ErrMsg)
      assert.doesNotMatch(answer.text, /1111/)
    })
  }
})
