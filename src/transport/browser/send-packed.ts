import type { FastifyReply, FastifyRequest } from 'fastify'

export type PackedFile = {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly brotli?: Buffer
}

// As small as the browser can read it.
export function sendPacked(reply: FastifyReply, { type, plain, gzip, brotli }: PackedFile): FastifyReply {
  reply.header('vary', 'accept-encoding').type(type)
  if (brotli && takes(reply.request, 'br')) return reply.header('content-encoding', 'br').send(brotli)
  if (takes(reply.request, 'gzip')) return reply.header('content-encoding', 'gzip').send(gzip)
  return reply.send(plain)
}

export function takes({ headers }: FastifyRequest, encoding: 'br' | 'gzip'): boolean {
  const accepted = headers['accept-encoding'] ?? ''
  return encoding === 'br' ? /\bbr\b/.test(accepted) : /\bgzip\b/.test(accepted)
}
