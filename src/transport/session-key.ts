import { Secret } from '#kernel/secret.ts'

// The header of every call but Authenticate, and the first parameter of every such SOAP operation.
export const sessionKeyName = 'SessKey'

// Whatever cannot be a session key is treated like a missing one, without asking the database.
export function readSessionKey(text: unknown): Secret | null {
  return typeof text === 'string' && /^[0-9a-f]{64}$/i.test(text.trim())
    ? new Secret(text.trim().toLowerCase())
    : null
}
