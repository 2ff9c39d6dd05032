import { ok, refuse, type Result } from '#kernel/result.ts'

export type UrlRule = {
  // Where no money moves, any machine may be named, a laptop without a certificate included.
  readonly isSandbox: boolean
  // Registered by the merchant record.
  readonly origins: readonly string[]
}

const lengthMax = 2_048
const ports: ReadonlySet<string> = new Set(['', '8443'])

// An address that payers are sent to or values are posted to. Parsed once; only the parsed form is used.
export function targetUrl(
  text: string,
  { member, isSandbox, origins }: UrlRule & { readonly member: string },
): Result<string, 'value_out_of_range'> {
  const no = (problem: string) => refuse('value_out_of_range', { problem: `${member} ${problem}` })
  if (text === '') return ok('')
  if (text.length > lengthMax) return no(`is longer than ${lengthMax} characters`)
  if (!/^https?:\/\/[^/\\\s]/i.test(text) || !URL.canParse(text)) return no('is no address of the web')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return no('must not hold a name or a password')
  if (isSandbox) return ok(url.href)
  if (url.protocol !== 'https:') return no('must begin with https://')
  if (!ports.has(url.port)) return no('must use port 443 or 8443')
  if (!origins.includes(url.origin)) return no(`is on ${url.host}, which the merchant has not registered`)
  return ok(url.href)
}

// https://shop.example, as a merchant registers it; null when it is none.
export function parseOrigin(text: string, { isSandbox }: Pick<UrlRule, 'isSandbox'>): string | null {
  if (!URL.canParse(text)) return null
  const { origin, protocol, pathname, search, hash, username } = new URL(text)
  const isBare = pathname === '/' && search === '' && hash === '' && username === ''
  const isSafe = protocol === 'https:' || (isSandbox && protocol === 'http:')
  return isBare && isSafe ? origin : null
}
