import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { policyReportsPath } from '#transport/browser/policy-reports.ts'

const sealed = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
}

type PageRules = {
  // Where the page may be embedded; nowhere when empty.
  readonly origins: readonly string[]
}

// One script and one style of our own, no other host, nothing inline, and no text that becomes script.
export function formHeaders({ origins }: PageRules): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
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
  return {
    ...sealed,
    'content-security-policy': policy.join('; '),
    ...(origins.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
  }
}

// A receipt carries its own style, allowed by its digest, and no script at all.
// It may be shown wherever its form may.
export function sendReceipt(reply: FastifyReply, page: string, origins: readonly string[]): FastifyReply {
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...origins].join(' ')}`,
    `report-uri ${policyReportsPath}`,
  ]
  return reply
    .headers({ ...sealed, 'content-security-policy': policy.join('; ') })
    .type('text/html; charset=utf-8')
    .send(page)
}
