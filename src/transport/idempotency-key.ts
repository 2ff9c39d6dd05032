import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Over SOAP the last parameter of every call that takes a key.
export const idempotencyKeyName = 'IdempotencyKey'

export const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/

export function takesKeyMember({ takesKey, request }: ContractFacts): boolean {
  return takesKey && !Object.hasOwn(request.properties, idempotencyKeyName)
}

type Sent = { readonly header: string | string[] | undefined; readonly body: unknown }

// Over REST a header. A member of the body counts as well: were it dropped like other unknown members, a
// caller who relies on it would charge twice.
export function readIdempotencyKey(
  contract: ContractFacts,
  { header, body }: Sent,
): Result<string | null, 'wrong_type' | 'value_out_of_range'> {
  const ofHeader = typeof header === 'string' ? header : null
  const member = takesKeyMember(contract) ? memberOf(body) : undefined
  if (member === undefined || member === null) return ok(ofHeader)
  if (typeof member !== 'string')
    return refuse('wrong_type', { problem: `${idempotencyKeyName} must be a text` })
  if (ofHeader === null || ofHeader === member) return ok(member)
  const problem = `${idempotencyKeyName} and the header Idempotency-Key must be the same`
  return refuse('value_out_of_range', { problem })
}

function memberOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && idempotencyKeyName in body
    ? body[idempotencyKeyName]
    : undefined
}
