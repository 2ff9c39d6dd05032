// What becomes of members that the contract does not have at their place. Most are ignored, and the answer
// names them. Refused is what its sender relies on: a slip for a member that is there, and what would change
// money or its moment where the operation cannot do that.

type Named = { readonly 'x-aliases'?: readonly string[] }
type Members = Readonly<Record<string, Named>>

export type MemberRules = {
  // The operation moves money or is given amounts.
  readonly namesMoney: boolean
  // The name belongs to another object of the interface, so it is not taken for a slip.
  readonly isKnownElsewhere: (name: string) => boolean
  // The transport has read it already, from the outermost object.
  readonly isOfTransport: (name: string) => boolean
}

export const plainRules: MemberRules = {
  namesMoney: false,
  isKnownElsewhere: () => false,
  isOfTransport: () => false,
}

export type NamedCurrency = { readonly member: string; readonly currency: string }

// What a caller learns beside the answer, or is refused for after the operation's own rules.
export type Beside = {
  // Paths without the places in lists.
  readonly ignored: Set<string>
  readonly currencies: NamedCurrency[]
  // Members that hold a card number, which their merchant record may allow.
  readonly cardLike: Set<string>
}

export const nothingBeside = (): Beside => ({
  ignored: new Set(),
  currencies: [],
  cardLike: new Set(),
})

export type OtherMembers = Beside & { readonly problems: string[]; readonly mistyped: string[] }

type Place = { readonly path: string; readonly rules: MemberRules; readonly found: OtherMembers }

type Judged = {
  readonly members: Members
  readonly sent: Readonly<Record<string, unknown>>
  readonly place: Place
}

export const currencyName = 'Currency'
const lettersMin = 5
// Of so many unknown members of one body it is judged whether they are slips. A body of nothing else would
// keep all callers waiting.
const judgedMax = 100
const changesMoney = new Set(['capture', 'tip', 'tax', 'discount', 'installments'])

// The member that a name stands for by another name.
export function aliasedMember(members: Members, name: string): string | undefined {
  return namesOf(members).aliases.get(name)
}

export function pathTo(name: string, path: string): string {
  return path === '' ? name : `${path}.${name}`
}

export function judgeOther(name: string, { members, sent, place }: Judged): void {
  const { path, rules, found } = place
  if (path === '' && rules.isOfTransport(name)) return
  const problem = problemOf(name, { members, sent, place })
  if (problem !== null) found.problems.push(problem)
  else if (rules.namesMoney && name === currencyName) noteCurrency(sent[name], pathTo(name, path), found)
  else if (found.ignored.size < judgedMax && !saysTheSame(name, members, sent))
    found.ignored.add(pathTo(name, path).replace(/\[\d+\]/g, ''))
}

export function noteCurrency(value: unknown, member: string, found: OtherMembers): void {
  if (typeof value !== 'string') found.mistyped.push(`${member} must be a text`)
  else if (value.trim() !== '') found.currencies.push({ member, currency: value.trim().toUpperCase() })
}

function problemOf(name: string, { members, sent, place }: Judged): string | null {
  const { path, rules } = place
  const lower = name.toLowerCase()
  const meant = namesOf(members).byLowerCase.get(lower)
  if (meant !== undefined) {
    if (saysTheSame(name, members, sent)) return null
    const also = Object.hasOwn(sent, meant) ? ', too' : ''
    return `${pathTo(meant, path)} was sent as ${name}${also}, and capitals count`
  }
  if (rules.namesMoney && lower === currencyName.toLowerCase() && name !== currencyName)
    return `${pathTo(currencyName, path)} was sent as ${name}, and capitals count`
  if (rules.namesMoney && changesMoney.has(lower))
    return `${pathTo(name, path)} would change the amount or its moment, which this operation cannot do`
  const isJudged = place.found.ignored.size < judgedMax && !rules.isKnownElsewhere(name)
  const close = isJudged ? slipFor(namesOf(members).byLength, name) : undefined
  return close === undefined ? null : `${pathTo(name, path)} is not known; did you mean ${close}?`
}

// A member is also sent in other capitals by those who serve several gateways; nothing is lost by it.
function saysTheSame(name: string, members: Members, sent: Readonly<Record<string, unknown>>): boolean {
  const meant = namesOf(members).byLowerCase.get(name.toLowerCase())
  return meant !== undefined && sent[name] === sent[meant]
}

function slipFor(names: NamesByLength, name: string): string | undefined {
  const near = [0, -1, 1].flatMap((more) => names.get(name.length + more) ?? [])
  return near.find((one) => isSlipFor(one, name))
}

// It differs by one letter, or by two that have changed places.
export function isSlipFor(member: string, name: string): boolean {
  return name.length >= lettersMin && isOneEdit(member, name)
}

function isOneEdit(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [left, right] = [one.slice(at), other.slice(at)]
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2)
  return left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1) || isSwapped
}

type NamesByLength = ReadonlyMap<number, readonly string[]>

type Names = {
  readonly aliases: ReadonlyMap<string, string>
  // Members and their other names.
  readonly byLowerCase: ReadonlyMap<string, string>
  readonly byLength: NamesByLength
}

const known = new WeakMap<Members, Names>()

function namesOf(members: Members): Names {
  return known.getOrInsertComputed(members, () => {
    const names = Object.entries(members)
    const aliases = names.flatMap(([name, { 'x-aliases': others = [] }]) =>
      others.map((other): [string, string] => [other, name]),
    )
    const all = [...aliases, ...names.map(([name]): [string, string] => [name, name])]
    return {
      aliases: new Map(aliases),
      byLowerCase: new Map(all.map(([sent, name]) => [sent.toLowerCase(), name])),
      byLength: Map.groupBy(
        all.map(([sent]) => sent),
        ({ length }) => length,
      ),
    }
  })
}
