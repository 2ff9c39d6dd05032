import { createCipheriv, createHmac } from 'node:crypto'
import type { FormNeeds, PaidForm } from '#capabilities/forms/form-needs.ts'
import { type FormId, formOptions } from '#capabilities/forms/form.ts'
import { integratorKey, signingKey } from '#capabilities/forms/integrator-keys.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable } & Pick<EngineContext, 'keyRing'> & Pick<FormNeeds, 'formMessages'>
type Paid = Omit<PaidForm, 'isSandbox'>
type Members = Readonly<Record<string, string>>

// What an address of the merchant gets: ids, or everything encrypted for the integrator whose key the form
// names, as `m` (ciphertext) and `i` (vector). A repeat has the same bytes.
export async function resultMembers(needs: Needs, paid: Paid): Promise<Members> {
  const encrypted = await encryptedFor(needs, paid)
  return encrypted
    ? { m: encrypted.ciphertext, i: encrypted.vector }
    : needs.formMessages.query(factsOf(needs, paid))
}

// What the page that embeds the form gets; encrypted, it is 24 characters of vector, then the ciphertext.
export async function parentMessage(needs: Needs, paid: Paid): Promise<string> {
  const encrypted = await encryptedFor(needs, paid)
  return encrypted
    ? `${encrypted.vector}${encrypted.ciphertext}`
    : needs.formMessages.parent(factsOf(needs, paid))
}

// The address that the payer is sent to, or null. `sig` tells the merchant's page that we wrote the rest;
// that money moved it learns by asking.
export async function redirectAddress(needs: Needs, paid: Paid): Promise<string | null> {
  const { form } = paid
  if (form.redirectUrl === '' || !formOptions(form).redirects) return null
  const members = await resultMembers(needs, paid)
  const url = new URL(form.redirectUrl)
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value)
  url.searchParams.set('sig', signatureOf(await signingKey(needs, form.accountId), members))
  return url.href
}

// HMAC-SHA-256 as hex over `name=value` of every member, in the order of their names, joined by `&`.
function signatureOf(key: Secret, members: Members): string {
  const pairs = Object.entries(members).toSorted(([left], [right]) => (left < right ? -1 : 1))
  const text = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  return createHmac('sha256', Buffer.from(key.reveal(), 'hex')).update(text).digest('hex')
}

export function messageText(needs: Needs, paid: Paid): string {
  return needs.formMessages.json(factsOf(needs, paid))
}

function factsOf({ keyRing }: Needs, paid: Paid): PaidForm {
  return { ...paid, isSandbox: keyRing.mode === 'sandbox' }
}

// null where the form names no key.
async function encryptedFor(needs: Needs, paid: Paid): Promise<Encrypted | null> {
  const { keyIndex, accountId, formId } = paid.form
  if (keyIndex === '') return null
  const key = await integratorKey(needs, accountId, keyIndex)
  assert(key, 'the key that a form was ordered with is there')
  const line = needs.formMessages.line(factsOf(needs, paid))
  return encrypt(line, { key, vector: vectorFor(needs, formId, line) })
}

// It follows from the form and what is encrypted: a repeat has the same bytes, and no vector is used for two
// contents.
function vectorFor({ keyRing }: Pick<Needs, 'keyRing'>, form: FormId, line: string): Buffer {
  return keyRing.keyedDigest('form-transit', `vector\n${form}\n${line}`).subarray(0, 16)
}

// Base64 of both.
type Encrypted = { readonly vector: string; readonly ciphertext: string }

// AES-256-CBC with PKCS7.
export function encrypt(
  line: string,
  { key, vector }: { readonly key: Secret; readonly vector: Buffer },
): Encrypted {
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(key.reveal(), 'hex'), vector)
  const ciphertext = Buffer.concat([cipher.update(line, 'utf8'), cipher.final()])
  return { vector: vector.toString('base64'), ciphertext: ciphertext.toString('base64') }
}
