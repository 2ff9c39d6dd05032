import type { FastifyInstance } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'
import { RateLimiter } from '#platform/rate-limiter.ts'

type Needs = { readonly context: Context }

export const policyReportsPath = '/PayForm/policy-report'
const reportBytesMax = 8_192
// Everyone can send reports. So many of one network reach the log, and so many of all.
const linesPerSecond = { perNetwork: 1, ofAll: 4 }

// Browsers tell here what the policy of a form's page kept from happening: a sign that somebody has changed
// the page on its way, or within the payer's browser.
export function registerPolicyReports(app: FastifyInstance, { context }: Needs): void {
  const ofNetwork = new RateLimiter(linesPerSecond.perNetwork)
  const ofAll = new RateLimiter(linesPerSecond.ofAll)
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['application/csp-report', 'application/json'],
      { parseAs: 'string', bodyLimit: reportBytesMax },
      (_, body, done) => done(null, body),
    )
    scope.post(policyReportsPath, (request, reply) => {
      const told = readReport(String(request.body))
      const nowMs = context.clock.now().epochMilliseconds
      const isLogged =
        told !== null && ofNetwork.take(ownNetworkOf(request.ip), nowMs) === 0 && ofAll.take('', nowMs) === 0
      if (isLogged) context.log.warn(told, 'A browser kept something from happening in a page of a form')
      return reply.code(told === null ? 400 : 204).send()
    })
  })
}

export type PolicyReport = { readonly directive: string; readonly blocked: string; readonly page: string }

// Nothing but these three, cut, and of addresses no more than says where: a form is opened by its query.
export function readReport(text: string): PolicyReport | null {
  const report = membersOf(parsed(text))['csp-report']
  if (typeof report !== 'object' || report === null) return null
  const members = membersOf(report)
  const directive = members['effective-directive'] ?? members['violated-directive']
  return {
    directive: wordIn(directive),
    blocked: placeIn(members['blocked-uri'], 'origin'),
    page: placeIn(members['document-uri'], 'pathname'),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function wordIn(value: unknown): string {
  return typeof value === 'string' && /^[a-z-]{1,40}$/.test(value) ? value : ''
}

// Browsers write `inline` or `eval` where there is no address.
function placeIn(value: unknown, part: 'origin' | 'pathname'): string {
  if (typeof value !== 'string') return ''
  const url = URL.parse(value)
  return url ? url[part].slice(0, 100) : wordIn(value)
}
