import { Compile } from 'typebox/compile'
import type { ObjectSchema } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import {
  aliasedMember,
  type Beside,
  currencyName,
  judgeOther,
  type MemberRules,
  noteCurrency,
  nothingBeside,
  type OtherMembers,
  pathTo,
  plainRules,
  isSlipFor,
} from '#capabilities/wire/other-members.ts'
import { judgeText, type TextFaults, type TextRules } from '#capabilities/wire/judge-text.ts'
import { parseDecimal, significantDigits } from '#kernel/decimal.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type ReadRequest = (
  raw: unknown,
  beside?: Beside,
) => Result<object, RequestFault | 'malformed_request'>

// The parts of a JSON Schema that a request can be made of.
type Shape = TextRules & {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly minimum?: number
  readonly 'x-amount'?: boolean
  readonly 'x-blank'?: boolean
  readonly 'x-id'?: boolean
  readonly 'x-aliases'?: readonly string[]
}
type Problem = { readonly keyword: string; readonly instancePath: string; readonly params: object }

const problemsShownMax = 5
const plainDecimal = /^[+-]?\d+(?:\.\d+)?$/
// Messages tell ids with zeros in front: Transaction ID : 000057.
const digits = /^\d{1,40}$/
// What a double holds exactly.
const amountDigitsMax = 15

// Makes the reader of one operation's requests. A raw body is copied into a fresh object that has only the
// members of the contract, in its order: null counts as absent, texts are trimmed. The copy is then checked
// as a whole. What else was sent is looked at only where more was sent than was known.
export function requestReader(schema: ObjectSchema, rules: MemberRules = plainRules): ReadRequest {
  const shape = shapeOf(schema)
  const validator = Compile(schema)
  return (raw, beside = nothingBeside()) => {
    if (!isObject(raw)) return refuse('malformed_request', { problem: 'the body must be an object' })
    const odd: Odd = { ...beside, characters: [], problems: [], mistyped: [] }
    const body = copyMembers(shape, raw, { path: '', odd, rules })
    if (!validator.Check(body)) return refusalFor(validator.Errors(body), { shape, raw })
    const [member] = odd.characters
    if (member !== undefined) return refuse('illegal_characters', { member })
    const [mistyped] = odd.mistyped
    if (mistyped !== undefined) return refuse('wrong_type', { problem: mistyped })
    const [problem] = odd.problems
    if (problem !== undefined) return refuse('value_out_of_range', { problem })
    return ok(rules.namesMoney ? withoutCurrency(body, odd) : body)
  }
}

// A currency is compared and has no other effect, so it is not part of what was asked for.
function withoutCurrency(body: Members, odd: Odd): object {
  if (!Object.hasOwn(body, currencyName)) return body
  const { [currencyName]: currency, ...others } = body
  noteCurrency(currency, currencyName, odd)
  return others
}

// Names of members with characters that cannot be, and what else is wrong.
type Odd = OtherMembers & TextFaults
type Place = { readonly path: string; readonly odd: Odd; readonly rules: MemberRules }

function copyByShape(shape: Shape, value: unknown, place: Place): unknown {
  if (typeof value === 'string') return copyText(shape, value, place)
  if (shape.type === 'array' && shape.items && Array.isArray(value)) {
    const { items, maxItems = Infinity } = shape
    // Of a list that is too long no more than shows it: all of a long one would keep everybody waiting.
    return value
      .slice(0, maxItems + 1)
      .map((item, at) => copyByShape(items, item, { ...place, path: `${place.path}[${at}]` }))
  }
  return shape.type === 'object' && isObject(value) ? copyMembers(shape, value, place) : value
}

type Members = Readonly<Record<string, unknown>>

function copyMembers({ properties = {} }: Shape, sent: Members, { path, odd, rules }: Place): Members {
  const copy: Record<string, unknown> = {}
  let known = 0
  for (const name in properties) {
    const inner = properties[name]
    if (!inner || !Object.hasOwn(sent, name)) continue
    known += 1
    const member = sent[name]
    if (member === null || member === undefined) continue
    copy[name] = copyByShape(inner, member, { path: pathTo(name, path), odd, rules })
  }
  return Object.keys(sent).length > known
    ? copyOthers({ properties, sent, copy }, { path, odd, rules })
    : copy
}

type Copying = {
  readonly properties: Readonly<Record<string, Shape>>
  readonly sent: Members
  readonly copy: Record<string, unknown>
}

function copyOthers({ properties, sent, copy }: Copying, { path, odd, rules }: Place): Members {
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(properties, name) || value === null || value === undefined) continue
    const member = aliasedMember(properties, name)
    const inner = properties[member ?? '']
    if (member === undefined || !inner) {
      judgeOther(name, { members: properties, sent, place: { path, rules, found: odd } })
      continue
    }
    const meant = copyByShape(inner, value, { path: pathTo(name, path), odd, rules })
    // Clients that fill every member leave the one that they do not use empty.
    if (meant === '' && Object.hasOwn(copy, member)) continue
    const isGiven = Object.hasOwn(copy, member) && copy[member] !== ''
    if (isGiven && JSON.stringify(copy[member]) !== JSON.stringify(meant))
      odd.problems.push(`${pathTo(member, path)} and ${pathTo(name, path)} differ`)
    copy[member] = meant
  }
  // In the order of the contract, by whatever names they were sent: the digest of a request goes by it.
  const names = Object.keys(properties).filter((name) => Object.hasOwn(copy, name))
  return Object.fromEntries(names.map((name) => [name, copy[name]]))
}

function copyText(shape: Shape, value: string, { path, odd }: Place): unknown {
  const trimmed = value.trim()
  const isBlank = trimmed === '' || (trimmed === '-1' && shape['x-blank'] === true)
  if (isBlank && shape['x-blank'] && shape.type !== 'string') return -1
  if (shape['x-amount']) return amountFromText(trimmed) ?? value
  if (shape['x-id'] && (digits.test(trimmed) || (trimmed === '-1' && shape.minimum === -1)))
    return Number(trimmed)
  if (!isBlank) judgeText(shape, trimmed, path, odd)
  return trimmed
}

// Amounts may be sent as numeric texts too; what a double could not hold exactly, and what nobody writes on a
// bill, stays a text and is refused as one.
function amountFromText(text: string): number | null {
  return plainDecimal.test(text) && parseDecimal(text) && significantDigits(text) <= amountDigitsMax
    ? Number(text)
    : null
}

type Asked = { readonly shape: Shape; readonly raw: unknown }

function refusalFor(problems: readonly Problem[], asked: Asked) {
  const told = problems.flatMap((problem) => describe(problem, asked))
  const kind = told[0]?.kind ?? 'wrong_type'
  const sentences = [...new Set(told.map(({ sentence }) => sentence))].slice(0, problemsShownMax)
  return refuse(kind, { problem: sentences.join('; ') })
}

type Told = { readonly kind: RequestFault; readonly sentence: string }

function describe({ keyword, instancePath, params }: Problem, { shape, raw }: Asked): readonly Told[] {
  const member = memberName(instancePath)
  const limit = 'limit' in params ? String(params.limit) : ''
  switch (keyword) {
    case 'required':
      return missingMembers(params).map((name) => {
        const missing = memberName(`${instancePath}/${name}`)
        const sent = sentAs({ shape, raw }, instancePath, name)
        return { kind: 'missing_member', sentence: `${missing} is missing${sent}` }
      })
    case 'type':
      if (isLongAmount({ shape, raw }, instancePath))
        return [outOfRange(`${member} has more than ${amountDigitsMax} digits`)]
      return [{ kind: 'wrong_type', sentence: `${member} must be ${typeWord(params, shape, instancePath)}` }]
    case 'maxLength':
      return [outOfRange(`${member} is longer than ${limit} characters`)]
    case 'minLength':
      return [outOfRange(`${member} is empty`)]
    case 'maxItems':
      return [outOfRange(`${member} has more than ${limit} items`)]
    case 'minItems':
      return [outOfRange(`${member} is empty`)]
    case 'minimum':
      return [outOfRange(`${member} ${tooSmall(shapeAt(shape, instancePath), limit)}`)]
    case 'maximum':
      return [outOfRange(`${member} must be at most ${limit}`)]
    default:
      return [outOfRange(`${member} does not have the form that is documented for it`)]
  }
}

// 0 and -1 mean something else in some members than in others, so that there the bound says nothing.
function tooSmall(shape: Shape, limit: string): string {
  return shape['x-amount'] || shape['x-blank'] ? 'must not be negative' : `must be at least ${limit}`
}

function shapeAt(shape: Shape, instancePath: string): Shape {
  const inner = (outer: Shape, name: string) => outer.properties?.[name] ?? outer.items ?? {}
  return instancePath.split('/').slice(1).reduce(inner, shape)
}

// 0.1 + 0.2, as many languages write it. Who is told that it is no number looks for the mistake elsewhere.
function isLongAmount({ shape, raw }: Asked, instancePath: string): boolean {
  const sent = instancePath.split('/').slice(1).reduce(memberOf, raw)
  const isAmount = shapeAt(shape, instancePath)['x-amount'] === true
  return isAmount && typeof sent === 'string' && plainDecimal.test(sent.trim())
}

function outOfRange(sentence: string): Told {
  return { kind: 'value_out_of_range', sentence }
}

function missingMembers(params: object): readonly string[] {
  return 'requiredProperties' in params && Array.isArray(params.requiredProperties)
    ? params.requiredProperties.map(String)
    : []
}

// The specification spells names in many ways, and Lastname is easily sent as LastName.
function sentAs({ shape, raw }: Asked, instancePath: string, name: string): string {
  const { properties = {} } = shapeAt(shape, instancePath)
  const outer = instancePath.split('/').slice(1).reduce(memberOf, raw)
  const names = Object.keys(Object(outer)).filter((key) => !Object.hasOwn(properties, key))
  const sent = names.find((key) => key.toLowerCase() === name.toLowerCase())
  if (sent !== undefined) return `: ${sent} was sent, and capitals count`
  const slip = names.find((key) => isSlipFor(name, key))
  return slip === undefined ? '' : `: ${slip} was sent`
}

function memberOf(outer: unknown, name: string): unknown {
  const isThere = typeof outer === 'object' && outer !== null && Object.hasOwn(outer, name)
  return isThere ? Reflect.get(outer, name) : null
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function typeWord(params: object, shape: Shape, instancePath: string): string {
  const type = 'type' in params ? String(params.type) : (shape.type ?? '')
  // A fraction where an integer is asked for, or an integer too large to be one, is told the same way.
  return typeWords[type] ?? `of another type at ${instancePath}`
}

// /Amounts/BaseAmt is told as Amounts.BaseAmt, /SchedIDs/0 as SchedIDs[0].
function memberName(instancePath: string): string {
  if (instancePath === '') return 'The body'
  return instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`))
}

// TypeBox schemas are JSON Schema objects; this names the few keywords that are walked here.
function shapeOf(schema: ObjectSchema): Shape {
  return schema
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
