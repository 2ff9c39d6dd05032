import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Secret } from '#kernel/secret.ts'

export const formPath = '/PayForm/PF.aspx'

// The token in a form's address is stored nowhere; its row is found by this digest.
export function digestOfToken({ keyRing }: Pick<EngineContext, 'keyRing'>, token: Secret): Buffer {
  return keyRing.keyedDigest('form-token', `stored\n${token.reveal()}`)
}

export function formAddress({ publicAddress }: Pick<FormNeeds, 'publicAddress'>, token: Secret): string {
  return `${publicAddress.url}${formPath}?s=${token.reveal()}`
}
