import { createCipheriv, createHmac } from 'node:crypto'
import type { FormNeeds, PaidForm } from '#capabilities/forms/form-needs.ts'
import { type Form, formOptions } from '#capabilities/forms/form.ts'
import { integratorKey, signingKey } from '#capabilities/forms/integrator-keys.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable } & Pick<EngineContext, 'keyRing'> & Pick<FormNeeds, 'formMessages'>
type Paid = Omit<PaidForm, 'isSandbox'>
type Members = Readonly<Record<string, string>>

// What the merchant's own pages and systems are told by way of an address: ids, or everything encrypted for
// the integrator whose key the form names. The same however often it is asked for.
export async function resultMembers(needs: Needs, paid: Paid): Promise<Members> {
  const { keyIndex, accountId } = paid.form
  const facts = factsOf(needs, paid)
  const key = keyIndex === '' ? null : await integratorKey(needs, accountId, keyIndex)
  if (!key) return needs.formMessages.query(facts)
  const line = needs.formMessages.line(facts)
  return { m: encrypt(needs, { key, line, form: paid.form }), i: keyIndex }
}

// The address that the payer is sent to, or null. `sig` tells the merchant's page that we wrote the rest;
// that money moved it learns by asking.
export async function redirectAddress(needs: Needs, paid: Paid): Promise<string | null> {
  const { form } = paid
  if (form.redirectUrl === '' || formOptions(form).ending !== 'redirect') return null
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

type Encryption = { readonly key: Secret; readonly line: string; readonly form: Form }

// AES-256-CBC with PKCS7, in base64: the first 16 bytes are the initialization vector. It follows from the
// form, so that the same message is the same bytes whenever it is sent.
function encrypt({ keyRing }: Pick<Needs, 'keyRing'>, { key, line, form }: Encryption): string {
  const vector = keyRing.keyedDigest('form-transit', `vector\n${form.formId}`).subarray(0, 16)
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(key.reveal(), 'hex'), vector)
  return Buffer.concat([vector, cipher.update(line, 'utf8'), cipher.final()]).toString('base64')
}
