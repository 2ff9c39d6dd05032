import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { operations } from '#capabilities/operations.ts'
import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'
import { errorCodes, errorNames } from '#capabilities/wire/error-codes.ts'
import { refuse } from '#kernel/result.ts'
import { refusedBeforeCall } from '#transport/answer.ts'
import { openApiDocument } from '#transport/openapi/openapi.ts'
import { httpStatusOf } from '#transport/rest/http-status.ts'
import { type HttpCall, type TestGateway, useGateway } from '../support/in-process-gateway.ts'

// Whatever an operation is answered with, /openapi.json declares the status, its headers and what is in it.

const root = '/APIcardProcREST/v1.0.0/'
const authenticate = '/APIcardProcService/v1.0.0/Authenticate'
const sale = `${root}CardSale/Manual`
const json = { 'content-type': 'application/json' }

type Place = Readonly<Record<string, unknown>>
const within = (place: unknown, ...names: readonly string[]): Place =>
  names.reduce((at, name) => Object(Object(at)[name]), Object(place))

// With what references stand for in their places.
function written(document: object, part: object): Place {
  const text = JSON.stringify(part).replace(/\{"\$ref":"#\/([^"]*)"\}/g, (_, path: string) =>
    JSON.stringify(written(document, within(document, ...path.split('/')))),
  )
  return JSON.parse(text)
}

type Served = { readonly path: string; readonly status: number; readonly body: unknown }

function assertDeclared(document: object, { path, status, body }: Served): Place {
  const { responses } = within(document, 'paths', path, 'post')
  const declared = within(responses, String(status))
  assert(Object.keys(declared).length > 0, `${path} does not declare ${status}`)
  const response = written(document, declared)
  const { schema } = within(response, 'content', 'application/json')
  assert(schema, `${path} does not declare what stands in ${status}`)
  const check = Compile(Object(schema))
  assert(check.Check(body), `${path} ${status}: ${JSON.stringify([...check.Errors(body)].slice(0, 3))}`)
  return response
}

for (const statusStyle of ['family', 'strict'] as const) {
  for (const operation of operations) {
    const { prefix, path, resultKey, refusals, takesKey } = operation.contract
    const keyed = new Set<string>(['key_running', 'key_reused'])
    test(`all that ${path} may be refused with is declared in ${statusStyle} style`, () => {
      const document = openApiDocument([operation], statusStyle)
      for (const name of errorNames) {
        const ofRequest = httpStatusOf(name, 'family') !== 200 && name !== 'unknown_path'
        const isPossible = ofRequest && (takesKey || !keyed.has(name))
        if (!isPossible && !refusals.includes(name)) continue
        const entry: ErrorEntry = errorCodes[name]
        const { refusal } = refuse(name, entry.sample ?? {})
        const body = { [resultKey]: refusedBeforeCall(operation, refusal).result }
        assertDeclared(document, { path: prefix + path, status: httpStatusOf(name, statusStyle), body })
      }
    })
  }
}

async function assertServed(gateway: TestGateway, call: HttpCall, status: number): Promise<void> {
  const answer = await gateway.send(call)
  assert.equal(answer.status, status, answer.text)
  const document = JSON.parse((await gateway.get('/openapi.json')).text)
  const response = assertDeclared(document, { path: call.path, status, body: JSON.parse(answer.text) })
  const declared = Object.keys(Object(response['headers']))
  for (const name of declared.filter((one) => !atTimes.has(one)))
    assert(answer.headers[name.toLowerCase()], `${status} has no ${name}`)
  const known = new Set([...ofEveryServer, ...declared.map((name) => name.toLowerCase())])
  for (const name of Object.keys(answer.headers))
    assert(known.has(name), `${call.path} ${status} does not declare ${name}`)
}

const atTimes = new Set(['Ignored-Members', 'Idempotent-Replayed', 'Sandbox-Reason', 'SessKey-Expires'])
// What HTTP itself has, and what is the same in every answer of ours.
const ofEveryServer = `connection keep-alive date content-type content-length cache-control
  x-content-type-options`.split(/\s+/)

const posted = (path: string, body: string, headers: object = json): HttpCall => ({
  method: 'POST',
  path,
  headers: { ...headers },
  body,
})

const saleOf = (BaseAmt: number) =>
  JSON.stringify({
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt },
    MerchID: 1,
  })

describe('answers over HTTP are declared', () => {
  const family = useGateway()
  const strict = useGateway({
    TILLGATE_HTTP_STATUS: 'strict',
    TILLGATE_RATE_LIMITS: 'on',
    TILLGATE_QUERIES_PER_SECOND: '1',
  })

  const calls: readonly [status: number, call: HttpCall][] = [
    [400, posted(authenticate, '{')],
    [400, posted(sale, '[')],
    [405, { method: 'GET', path: authenticate }],
    [405, { method: 'DELETE', path: sale }],
    [413, posted(sale, ' '.repeat(262_145))],
    [415, posted(sale, '{}', { 'content-type': 'text/plain' })],
  ]
  for (const [status, call] of calls) {
    test(`${call.method} ${call.path} with ${status}`, async () => {
      await assertServed(family(), call, status)
    })
  }

  test('a session that has begun with 200', async () => {
    const { accountCode: AcctCode, token: Token } = family()
    const signIn = posted(authenticate, JSON.stringify({ AcctCode, Token }))
    await assertServed(family(), signIn, 200)
    assert((await family().send(signIn)).headers['sesskey-expires'])
  })

  test('a session key that does not count with 401 in strict style', async () => {
    await assertServed(
      strict(),
      posted(`${root}Webhook/List`, '{}', { ...json, SessKey: '0'.repeat(64) }),
      401,
    )
    const body = JSON.stringify({ AcctCode: 'ZZ0000000', Token: '0'.repeat(32) })
    await assertServed(strict(), posted(authenticate, body), 401)
  })

  test('too many queries with 429', async () => {
    const call = posted(`${root}Webhook/List`, '{}', { ...json, SessKey: await strict().signIn() })
    await Promise.all(Array.from({ length: 5 }, () => strict().send(call)))
    await assertServed(strict(), call, 429)
  })

  test('an answer that was provoked, and one that is given again, with the headers that say so', async () => {
    const headers = { ...json, SessKey: await family().signIn(), 'Idempotency-Key': 'asked-twice' }
    const declined = posted(sale, saleOf(9900.05), headers)
    await assertServed(family(), declined, 200)
    await assertServed(family(), declined, 200)
    const document = JSON.parse((await family().get('/openapi.json')).text)
    const declared = within(document, 'paths', sale, 'post', 'responses', '200', 'headers')
    assert.deepEqual(Object.keys(declared), [
      'Request-Id',
      'Ignored-Members',
      'Idempotent-Replayed',
      'Sandbox-Reason',
    ])
  })

  test('a key of another request with 422', async () => {
    const headers = { ...json, SessKey: await family().signIn(), 'Idempotency-Key': 'two-uses' }
    assert.equal((await family().send(posted(sale, saleOf(10), headers))).status, 200)
    await assertServed(family(), posted(sale, saleOf(11), headers), 422)
  })
})
