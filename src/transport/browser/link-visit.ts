import type { FastifyRequest } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { linkPath, readCode } from '#capabilities/links/link-code.ts'
import type { LinkVisit } from '#capabilities/links/show-link.operation.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import type { Secret } from '#kernel/secret.ts'
import {
  browserCookie,
  browserIn,
  cookieFor,
  cookieIn,
  textIn,
  type Visit,
} from '#transport/browser/form-visit.ts'
import { fieldsOf } from '#transport/read-fields.ts'

// Who came to which link: what the form behind it must know, and what the link itself must.
export type LinkCall = {
  readonly visit: Visit
  // null: the address can be no link's.
  readonly link: LinkVisit | null
  // Of another page of this link, such as 'answers'.
  readonly addressOf: (page: string) => string
  readonly answeredCookie: (proof: string) => string
}

const browserCookieName = 'tillgate_link'
const answeredCookie = 'tillgate_answers'

export function linkCallOf(context: Context, request: FastifyRequest): LinkCall {
  const { query, headers, ip, body, params } = request
  const code = readCode(textIn(params, 'code'))
  const browser = browserIn(context, headers.cookie, browserCookieName)
  const proof = cookieIn(headers.cookie, answeredCookie)?.reveal() ?? ''
  const chosen = textIn(query, 'l')
  const number = /^[0-9a-f]{32}$/.test(textIn(query, 'p')) ? textIn(query, 'p') : ''
  const path = `${linkPath}${code?.reveal() ?? ''}`
  const members = new URLSearchParams()
  if (number !== '') members.set('p', number)
  if (/^[a-z]{2}$/.test(chosen)) members.set('l', chosen)
  const rest = members.size === 0 ? '' : `?${members.toString()}`
  // Time is the merchant's to give, so more of it is not offered.
  const addressOf = (page: string) => (page === 'extend' ? '' : `${path}/${page}${rest}`)
  return {
    visit: {
      token: null,
      browser,
      tongue: tongueFor(headers['accept-language'] ?? '', chosen),
      sent: fieldsOf(body),
      address: `${path}${rest}`,
      addressOf,
      wantsJson: headers.accept === 'application/json',
      stays: textIn(query, 'stay') === '1',
      ip,
      cookieFor: (one: Secret) => browserCookie(context, { name: browserCookieName, path, browser: one }),
    },
    link: code && { code, browser, proof, number },
    addressOf,
    answeredCookie: (value) => cookieFor(context, { name: answeredCookie, path, value }),
  }
}
