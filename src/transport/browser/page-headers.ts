import { hash } from 'node:crypto'
import { policyReportsPath } from '#transport/browser/policy-reports.ts'

export type PageHeaders = Readonly<Record<string, string>>

// What each page may load and do, in one place to compare. Whatever its policy does not name is forbidden.
function headersFor(policy: readonly string[], more: PageHeaders = {}): PageHeaders {
  return {
    'content-security-policy': ["default-src 'none'", ...policy].join('; '),
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...more,
  }
}

// Whoever opened the page in a window gets no hold of it.
const apart = { 'cross-origin-opener-policy': 'same-origin' }

// The reference sets styles on its elements; nothing else is loosened, and nothing comes from or goes to
// another host.
export const docsHeaders = headersFor(
  [
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ],
  apart,
)

export const builderHeaders = headersFor(
  ["style-src 'self'", 'img-src data:', "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
  apart,
)

export const inboxHeaders = headersFor(
  ["style-src 'self'", 'img-src data:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  apart,
)

// One script of our own, which makes the frames of e-mails as high as these are.
export const outboxHeaders = headersFor(
  [
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ],
  apart,
)

// An e-mail carries its styles with it. It may show nothing from elsewhere and run nothing. It is not kept
// apart, because browsers show no page that is in a sandbox as well.
export const mailHeaders = headersFor([
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
])

// Its one style is allowed by its digest, and no script at all. Like every bank's, it stands inside the pages
// of shops that it does not know; a form may be embedded itself.
export function bankHeaders(style: string): PageHeaders {
  return headersFor(
    [styleOf(style), 'img-src data:', "form-action 'self'", "base-uri 'none'", 'frame-ancestors *'],
    apart,
  )
}

const forPayers = { ...apart, 'cross-origin-resource-policy': 'same-origin' }

type PageRules = {
  // Where the page may be embedded; nowhere when empty.
  readonly origins: readonly string[]
}

// One script and one style of our own, no other host, nothing inline, and no text that becomes script.
export function formHeaders({ origins }: PageRules): PageHeaders {
  const policy = [
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `report-uri ${policyReportsPath}`,
  ]
  const framing = origins.length === 0 ? { 'x-frame-options': 'DENY' } : {}
  return headersFor(policy, { ...forPayers, ...framing })
}

// Opened by itself it can do nothing at all.
export const pictureHeaders = headersFor(['sandbox'], { 'cross-origin-resource-policy': 'same-origin' })

// A receipt carries its own style, allowed by its digest, and no script at all.
// It may be shown wherever its form may.
export function receiptHeaders(receipt: string, { origins }: PageRules): PageHeaders {
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(receipt) ?? []
  const policy = [
    styleOf(style),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...origins].join(' ')}`,
    `report-uri ${policyReportsPath}`,
  ]
  return headersFor(policy, forPayers)
}

function styleOf(style: string): string {
  return `style-src 'sha256-${hash('sha256', style, 'base64')}'`
}
