import type { FastifyReply } from 'fastify'
import type { PageHeaders } from '#transport/browser/page-headers.ts'

type Page = {
  readonly body: string | Buffer
  readonly headers: PageHeaders
  readonly status?: number
}

// The one way in which a page leaves, so that none does without its policy.
export function sendPage(reply: FastifyReply, { body, headers, status = 200 }: Page): FastifyReply {
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(body)
}
