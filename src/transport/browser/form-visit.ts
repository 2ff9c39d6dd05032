import type { FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import type { Context } from '#capabilities/context.ts'
import type { Added } from '#capabilities/form-pages/form-scene.page.ts'
import { formPath } from '#capabilities/forms/form-token.operation.ts'
import type { SentFields } from '#capabilities/form-payments/read-submission.ts'
import { type Tongue, tongueFor } from '#capabilities/payer-words/tongue.ts'
import { Secret } from '#kernel/secret.ts'
import { randomHex } from '#platform/crypto/random.ts'
import { fieldsOf } from '#transport/read-fields.ts'

// Who came to which form, and how they want to be spoken to.
export type Visit = {
  readonly token: Secret | null
  // A new one for whoever has none yet.
  readonly browser: Secret | null
  readonly tongue: Tongue
  readonly sent: SentFields
  // Of the form, with what the payer chose.
  readonly address: string
  readonly addressOf: (page: string) => string
  readonly wantsJson: boolean
  // On the page that says that it is paid.
  readonly stays: boolean
  readonly ip: string
  // How the browser is told to remember that it is the one.
  readonly cookieFor: (browser: Secret) => string
  // What stands on the page beyond the form.
  readonly added?: Added
}

const cookieName = 'tillgate_form'

export function visitOf(context: Context, request: FastifyRequest): Visit {
  const { query, headers, ip, body } = request
  const token = textIn(query, 's')
  const chosen = textIn(query, 'l')
  const isToken = /^[0-9a-f]{32}$/.test(token)
  const language = /^[a-z]{2}$/.test(chosen) ? `&l=${chosen}` : ''
  const cookie = browserIn(context, headers.cookie, cookieName)
  const carried = cookie ? null : carriedBy(context, request)
  const browser = cookie ?? carried ?? newBrowser()
  const isCarried = carried !== null || (!cookie && isInFrame(request))
  const secret = isCarried ? `&b=${carriedText(context, { token, browser })}` : ''
  const rest = `?s=${isToken ? token : ''}${language}${secret}`
  return {
    token: isToken ? new Secret(token) : null,
    browser,
    tongue: tongueFor(headers['accept-language'] ?? '', chosen),
    sent: fieldsOf(body),
    address: `${formPath}${rest}`,
    addressOf: (page) => `/PayForm/${page}${rest}`,
    wantsJson: headers.accept === 'application/json',
    stays: textIn(query, 'stay') === '1',
    ip,
    cookieFor: (one) => browserCookie(context, { name: cookieName, path: '/PayForm', browser: one }),
  }
}

export function textIn(query: unknown, name: string): string {
  if (typeof query !== 'object' || query === null) return ''
  const value: unknown = Object.entries(query).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : ''
}

function isInFrame({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] === 'iframe'
}

// Inside another site's page browsers may keep no cookie; the pages then carry the same secret in the frame's
// own addresses. Nobody plants one: it is of our making, for this form, and counts inside a frame and for our
// own script alone, never in an address that somebody was sent.
function carriedBy(context: Context, request: FastifyRequest): Secret | null {
  const { 'sec-fetch-dest': kind, 'sec-fetch-site': site } = request.headers
  const isOurScript = kind === 'empty' && site === 'same-origin'
  if (!isOurScript && !isInFrame(request)) return null
  const text = textIn(request.query, 'b')
  const [, value = ''] = /^([0-9a-f]{32})[0-9a-f]{32}$/.exec(text) ?? []
  const browser = new Secret(value)
  return text === carriedText(context, { token: textIn(request.query, 's'), browser }) ? browser : null
}

type Carried = { readonly token: string; readonly browser: Secret }

function carriedText({ keyRing }: Context, { token, browser }: Carried): string {
  const value = browser.reveal()
  const proof = keyRing.keyedDigest('form-page', `carried\n${token}\n${value}`)
  return `${value}${proof.toString('hex').slice(0, 32)}`
}

type Kept = { readonly name: string; readonly path: string; readonly browser: Secret }

// Signed: a value that this gateway did not make, or made for another cookie, is not accepted. A planted
// cookie of the same name may stand before ours.
export function browserCookie(context: Context, { name, path, browser }: Kept): string {
  return cookieFor(context, { name, path, value: signedText(context, name, browser) })
}

export function browserIn(context: Context, header: string | undefined, name: string): Secret | null {
  for (const { value, proof } of signedIn(header, name)) {
    const browser = new Secret(value)
    const right = Buffer.from(signedText(context, name, browser))
    if (timingSafeEqual(Buffer.from(value + proof), right)) return browser
  }
  return null
}

function signedIn(header: string | undefined, name: string) {
  const cookies = new RegExp(`(?<=^|;\\s*)${name}=([0-9a-f]{32})([0-9a-f]{32})(?=;|$)`, 'g')
  return [...(header ?? '').matchAll(cookies)].map(([, value = '', proof = '']) => ({ value, proof }))
}

function signedText({ keyRing }: Context, name: string, browser: Secret): string {
  const value = browser.reveal()
  const proof = keyRing.keyedDigest('form-page', `cookie\n${name}\n${value}`)
  return `${value}${proof.toString('hex').slice(0, 32)}`
}

export function cookieIn(header: string | undefined, name: string): Secret | null {
  const [, value = ''] = new RegExp(`(?:^|;\\s*)${name}=([0-9a-f]{32})(?:;|$)`).exec(header ?? '') ?? []
  return value === '' ? null : new Secret(value)
}

const browserBits = 128

export function newBrowser(): Secret {
  return new Secret(randomHex(browserBits))
}

type Cookie = { readonly name: string; readonly path: string; readonly value: string }

// Tells the paying browser from others that know the address. Inside another site's page a browser sends it
// back only when it is marked like this, which needs https.
export function cookieFor({ publicAddress }: Context, { name, path, value }: Cookie): string {
  const isSafe = publicAddress.url.startsWith('https:')
  const rest = isSafe ? 'SameSite=None; Secure; Partitioned' : 'SameSite=Lax'
  return `${name}=${value}; Path=${path}; HttpOnly; Max-Age=86400; ${rest}`
}

// Browsers say where a request comes from; a page of another site never sends one for its visitor. The key in
// the page is checked besides.
export function isFromElsewhere({ publicAddress }: Context, { headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin } = headers
  return origin !== undefined && origin !== 'null' && origin !== new URL(publicAddress.url).origin
}
