import { significantDigits } from '#kernel/decimal.ts'

// JSON as it may be sent to us: no member twice, at most 32 levels, no number that a double could not hold
// exactly.
export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

const depthMax = 32
const digitsMax = 15

// V8's own parser judges the grammar and builds the value; it cannot see duplicate members, depth
// or lost digits. So the text is walked once more, and by then it is known to be well-formed, which keeps
// the walk simple.
export function readStrictJson(text: string): StrictJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: text.trim() === '' ? 'the body is empty' : 'the body is no JSON' }
  }
  const problem = isPlainlyStrict(text, value) ? null : findProblem(text)
  return problem === null ? { ok: true, value } : { ok: false, problem }
}

// Inside of anything, a number stands behind one of these. A long one may have lost digits, one with a
// negative exponent may have become 0.
const oddNumber = /[:,[]\s*(?:[\d.eE+-]{16}|-?[\d.]+[eE]-)/

// Proves most bodies strict without that walk, which costs several times as much as parsing. Every name
// has a colon, so where there are as many members as colons, none was named twice.
function isPlainlyStrict(text: string, value: unknown): boolean {
  if (typeof value !== 'object') return false
  return !oddNumber.test(text) && countMembers(value, depthMax) === countColons(text)
}

// Not a number when something in it is nested too deep or beyond all numbers.
function countMembers(value: unknown, levelsLeft: number): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : NaN
  if (typeof value !== 'object' || value === null) return 0
  if (levelsLeft === 0) return NaN
  const inside = Object.values(value)
  let count = Array.isArray(value) ? 0 : inside.length
  for (const member of inside) count += countMembers(member, levelsLeft - 1)
  return count
}

function countColons(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1
  return count
}

// Matches one token of well-formed JSON that matters here. A name is a string with a colon behind it.
const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*/gs

function findProblem(text: string): string | null {
  const open: (Set<string> | null)[] = []
  let name = ''
  for (const [token, colon] of text.matchAll(tokens)) {
    const isName = colon !== undefined
    if (isName) name = withoutColon(token)
    const problem = judgeToken(token, { isName, name }, open)
    if (problem !== null) return problem
  }
  return null
}

function withoutColon(token: string): string {
  return token.slice(0, token.lastIndexOf('"') + 1)
}

// The name that stands before the token, or is it.
type Place = { readonly isName: boolean; readonly name: string }

function judgeToken(token: string, { isName, name }: Place, open: (Set<string> | null)[]): string | null {
  switch (token.charAt(0)) {
    case '{':
    case '[':
      open.push(token === '{' ? new Set() : null)
      return open.length > depthMax ? `it nests deeper than ${depthMax} levels` : null
    case '}':
    case ']':
      open.pop()
      return null
    case '"':
      return isName ? judgeName(name, open.at(-1) ?? null) : null
    default:
      return judgeNumber(token, name)
  }
}

// Never told itself: it may be the number of a card.
function judgeNumber(token: string, name: string): string | null {
  const number = name === '' ? 'a number' : `the number in ${name.slice(0, 40)}`
  if (significantDigits(token) > digitsMax) return `${number} has more than ${digitsMax} digits`
  const value = Number(token)
  if (!Number.isFinite(value)) return `${number} is too large`
  return value === 0 && significantDigits(token) > 0 ? `${number} is too small` : null
}

function judgeName(token: string, names: Set<string> | null): string | null {
  // Escapes are resolved, because "\u0041" and "A" name the same member.
  const name = String(JSON.parse(token))
  if (names?.has(name)) return `it names ${JSON.stringify(name.slice(0, 40))} twice`
  names?.add(name)
  return null
}
