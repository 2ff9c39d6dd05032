import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Over SOAP the last parameter of every call that takes a key.
export const idempotencyKeyName = 'IdempotencyKey'

export const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/

export function takesKeyMember({ takesKey, request }: ContractFacts): boolean {
  return takesKey && !Object.hasOwn(request.properties, idempotencyKeyName)
}

type Sent = {
  readonly header: string | string[] | undefined
  // What the body says, in whatever capitals.
  readonly members: readonly unknown[]
}

// A header or a member of the body, over REST and SOAP alike: were either dropped, a caller who relies on it
// would charge twice.
export function readIdempotencyKey({
  header,
  members,
}: Sent): Result<string | null, 'wrong_type' | 'value_out_of_range'> {
  let key = typeof header === 'string' ? header : null
  for (const member of members) {
    if (typeof member !== 'string')
      return refuse('wrong_type', { problem: `${idempotencyKeyName} must be a text` })
    if (key !== null && key !== member) return refuse('value_out_of_range', { problem: twoKeys })
    key = member
  }
  return ok(key)
}

const twoKeys = `${idempotencyKeyName} and the header Idempotency-Key must be the same`

// Whatever their capitals: idempotencyKey is how many would write it. null counts as absent.
export function keyMembersOf(members: object): readonly unknown[] {
  const found: unknown[] = []
  for (const name of Object.keys(members)) {
    const value: unknown = isIdempotencyKeyName(name) ? Reflect.get(members, name) : null
    if (value !== null && value !== undefined) found.push(value)
  }
  return found
}

export function isIdempotencyKeyName(name: string): boolean {
  return name.length === idempotencyKeyName.length && name.toLowerCase() === lowerCaseName
}

const lowerCaseName = idempotencyKeyName.toLowerCase()
