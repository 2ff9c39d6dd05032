import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Over SOAP the last parameter of every call that takes a key.
export const idempotencyKeyName = 'IdempotencyKey'

export const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/

export function takesKeyMember({ takesKey, request }: ContractFacts): boolean {
  return takesKey && !Object.hasOwn(request.properties, idempotencyKeyName)
}

type Sent = { readonly header: string | string[] | undefined; readonly member: unknown }

// A header or a member of the body, over REST and SOAP alike: were either dropped, a caller who relies on it
// would charge twice.
export function readIdempotencyKey({
  header,
  member,
}: Sent): Result<string | null, 'wrong_type' | 'value_out_of_range'> {
  const ofHeader = typeof header === 'string' ? header : null
  if (member === undefined || member === null) return ok(ofHeader)
  if (typeof member !== 'string')
    return refuse('wrong_type', { problem: `${idempotencyKeyName} must be a text` })
  if (ofHeader === null || ofHeader === member) return ok(member)
  const problem = `${idempotencyKeyName} and the header Idempotency-Key must be the same`
  return refuse('value_out_of_range', { problem })
}

// Whatever its capitals: idempotencyKey is how many would write it.
export function keyMemberOf(contract: ContractFacts, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !takesKeyMember(contract)) return undefined
  const name = Object.keys(body).find(isIdempotencyKeyName)
  return name === undefined ? undefined : Reflect.get(body, name)
}

function isIdempotencyKeyName(name: string): boolean {
  return name.length === idempotencyKeyName.length && name.toLowerCase() === lowerCaseName
}

const lowerCaseName = idempotencyKeyName.toLowerCase()
