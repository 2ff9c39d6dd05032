import type { FastifyInstance } from 'fastify'

// More than any page of ours sends.
const pageBytesMax = 16_384

// What browsers send from the fields of a page, and others as if they did.
export function readFields(scope: FastifyInstance, bytesMax = pageBytesMax): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    (_, body, done) => done(null, new URLSearchParams(String(body))),
  )
}

// Of a field that was sent twice the last one counts.
export function fieldsOf(body: unknown): ReadonlyMap<string, string> {
  return new Map(allFieldsOf(body))
}

// With all values of boxes that share a name. Nothing when something else was sent.
export function allFieldsOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}
