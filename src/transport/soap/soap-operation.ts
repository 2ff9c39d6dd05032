import { type TObject, Type } from 'typebox'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { idempotencyKeyName, takesKeyMember } from '#transport/idempotency-key.ts'
import { sessionKeyName } from '#transport/session-key.ts'

export const targetNamespace = 'urn:tillgate:cardproc:v1'
export const servicePath = '/APIcardProcService/CardProcAPI.svc'

// A contract as SOAP shows it. What REST sends as headers are elements here: the session key first, the
// idempotency key last. The result has the members of the envelope, too.
export type SoapOperation = {
  readonly name: string
  readonly resultKey: string
  readonly request: TObject
  readonly result: TObject
  readonly takesSessionKey: boolean
  readonly takesIdempotencyKey: boolean
}

const envelopeMembers = {
  FunctionOk: Type.Boolean(),
  ErrCode: Type.Integer(),
  ErrMsg: Type.String(),
  RespMsg: Type.String(),
}

export function soapOperationOf(contract: ContractFacts): SoapOperation {
  const members = contract.request.properties
  const takesSessionKey = contract.access !== 'open'
  const takesIdempotencyKey = takesKeyMember(contract)
  return {
    name: contract.resultKey.replace(/Result$/, ''),
    resultKey: contract.resultKey,
    request: Type.Object({
      ...(takesSessionKey ? { [sessionKeyName]: Type.String() } : {}),
      ...members,
      ...(takesIdempotencyKey ? { [idempotencyKeyName]: Type.Optional(Type.String()) } : {}),
    }),
    result: Type.Object({ ...envelopeMembers, ...contract.result.properties }),
    takesSessionKey,
    takesIdempotencyKey,
  }
}
