import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type InjectOptions } from 'fastify'
import { pino } from 'pino'
import { Type } from 'typebox'
import { defineContract, serve } from '#capabilities/wire/contract.ts'
import { doneEnvelope, refusedEnvelope } from '#capabilities/wire/envelope.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { ok } from '#kernel/result.ts'
import type { Call } from '#transport/call-operation.ts'
import { readXml } from '#transport/soap/read-xml.ts'
import { registerSoap } from '#transport/soap/soap-routes.ts'

const key = '0123456789abcdef'.repeat(4)
const url = '/APIcardProcService/CardProcAPI.svc'
const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/'
const soap12 = 'http://www.w3.org/2003/05/soap-envelope'

const contract = defineContract({
  path: 'Probe/Ask',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Probe_AskResult',
  access: 'session',
  load: 'query',
  isBeyondSpecification: true,
  takesKey: true,
  title: 'A probe',
  description: 'Does nothing.',
  request: Type.Object({ Query: Type.String() }),
  result: Type.Object({ NumRecords: Type.Integer() }),
  refusals: [],
  example: { request: {}, result: {}, message: '' },
  fromWire: (body) => ok(body),
  toWire: () => ({ message: '', members: { NumRecords: 1 } }),
  refusedToWire: () => ({ NumRecords: 0 }),
})

const otherContract = { ...contract, path: 'Probe/Other', resultKey: 'Probe_OtherResult' }

const errors: Readonly<Record<string, ErrorName>> = {
  'no session': 'session_invalid',
  'too often': 'rate_limited',
  'too much': 'busy',
}

function service() {
  const app = Fastify()
  const calls: Call[] = []
  const logged: string[] = []
  registerSoap(app, {
    operations: [contract, otherContract].map((one) => serve(one, async () => ok(null))),
    baseUrl: () => 'https://pay.example',
    context: { log: pino({}, { write: (line: string) => void logged.push(line) }) },
    callOperation: async (_, call) => {
      calls.push(call)
      const query = String(Object.values(call.body ?? {})[0])
      if (query === 'break') throw new Error('secret of the machine room')
      const error = errors[query] ?? null
      const outcome = error ? refusedEnvelope({ kind: error, details: {} }) : doneEnvelope('done')
      const notes = { 'Retry-After': '2' }
      return { error, result: { ...outcome, NumRecords: 0 }, notes: error ? notes : {} }
    },
  })
  return { app, calls, logged }
}

async function send(options: InjectOptions) {
  const { app, calls, logged } = service()
  const answer = await app.inject({ url, ...options })
  return { answer, calls, logged }
}

function envelope(body: string, namespace = soap11): string {
  return `<s:Envelope xmlns:s="${namespace}"><s:Body>${body}</s:Body></s:Envelope>`
}

function ask(query: string, namespace = soap11): string {
  const members = `<SessKey>${key}</SessKey><Query>${query}</Query>`
  return envelope(`<Probe_Ask xmlns="urn:tillgate:cardproc:v1">${members}</Probe_Ask>`, namespace)
}

function post(payload: string | Buffer, headers: Record<string, string> = {}): InjectOptions {
  return { method: 'POST', payload, headers: { 'content-type': 'text/xml; charset=utf-8', ...headers } }
}

const in12 = { 'content-type': 'application/soap+xml; charset=utf-8; action="x"' }

const answered: readonly [string, InjectOptions, number, RegExp, RegExp][] = [
  ['a call of SOAP 1.1', post(ask('x')), 200, /^text\/xml/, /<FunctionOk>true</],
  ['a call of SOAP 1.2', post(ask('x', soap12), in12), 200, /^application\/soap\+xml/, /<RespMsg>done</],
  [
    'a 1.2 call sent as text/xml',
    post(ask('x', soap12)),
    200,
    /^application\/soap\+xml/,
    /<FunctionOk>true</,
  ],
  [
    'application/xml',
    post(ask('x'), { 'content-type': 'application/xml' }),
    200,
    /^text\/xml/,
    /<ErrCode>0</,
  ],
  ['a byte order mark', post(`\ufeff${ask('x')}`), 200, /^text\/xml/, /<FunctionOk>true</],
  [
    'a foreign SOAPAction',
    post(ask('x'), { soapaction: '"http://tempuri.org/ICardProcess/Other"' }),
    200,
    /^text\/xml/,
    /<FunctionOk>true</,
  ],
  [
    'its own SOAPAction in a foreign namespace',
    post(ask('x'), { soapaction: '"http://tempuri.org/ICardProcess/Probe_Ask"' }),
    200,
    /^text\/xml/,
    /<FunctionOk>true</,
  ],
  ['an empty SOAPAction', post(ask('x'), { soapaction: '""' }), 200, /^text\/xml/, /<FunctionOk>true</],
  ['a bad session key', post(ask('no session')), 200, /^text\/xml/, /<ErrCode>5030</],
  ['a call over the limit', post(ask('too often')), 429, /^text\/xml/, /<ErrCode>4290</],
  ['a call that is shed', post(ask('too much')), 503, /^text\/xml/, /<ErrCode>9001</],
  [
    'a member sent twice',
    post(ask('a</Query><Query>b')),
    200,
    /^text\/xml/,
    /<ErrCode>4000<.*Query occurs more than once.*<NumRecords>0</,
  ],
]

for (const [what, request, status, contentType, body] of answered) {
  test(`answers ${what} with a result and HTTP ${status}`, async () => {
    const { answer } = await send(request)
    assert.equal(answer.statusCode, status, answer.body)
    assert.match(String(answer.headers['content-type']), contentType)
    assert.match(answer.body, body)
    assert.equal(
      answer.headers['retry-after'],
      status === 200 && !answer.body.includes('5030') ? undefined : '2',
    )
  })
}

const tooLarge = `<!--${' '.repeat(262_144)}-->`
const notUtf8 = Buffer.concat([Buffer.from('<a>'), Buffer.from([0xe9]), Buffer.from('</a>')])

const other = 'urn:tillgate:cardproc:v1/ICardProcess/Probe_Other'

const faults: readonly [string, InjectOptions, number, RegExp][] = [
  [
    'a SOAPAction of another operation',
    post(ask('x'), { soapaction: `"${other}"` }),
    500,
    /names Probe_Other/,
  ],
  ['one without quotes', post(ask('x'), { soapaction: other }), 500, /the body calls Probe_Ask/],
  [
    'an action of another operation in SOAP 1.2',
    post(ask('x', soap12), { 'content-type': `application/soap+xml; action="${other}"; charset=utf-8` }),
    400,
    /names Probe_Other/,
  ],
  ['an empty body', post(''), 500, /s:Client/],
  ['JSON as XML', post('{}'), 500, /s:Client/],
  ['JSON as XML of SOAP 1.2', post('{}', in12), 400, /s:Sender/],
  ['an unknown operation', post(envelope('<Probe_Ask2/>')), 500, /s:Client.*no operation Probe_Ask2/],
  ['an inherited name', post(envelope('<constructor/>', soap12)), 400, /s:Sender.*no operation constructor/],
  [
    'an operation in another namespace',
    post(envelope('<Probe_Ask xmlns="urn:a"/>')),
    500,
    /operation Probe_Ask is in another namespace; the one expected is urn:tillgate:cardproc:v1</,
  ],
  [
    'an unknown operation in another namespace',
    post(envelope('<Probe_Ask2 xmlns="urn:a"/>')),
    500,
    /no operation Probe_Ask2; compare the WSDL/,
  ],
  ['another version', post(envelope('<a/>', 'urn:soap')), 500, /s:VersionMismatch/],
  [
    'another version under 1.2',
    post(envelope('<a/>', 'urn:soap'), in12),
    500,
    /soap-envelope.*s:VersionMismatch/,
  ],
  ['bytes that are no UTF-8', post(notUtf8), 500, /not plain UTF-8/],
  ['another character set', post(ask('x'), { 'content-type': 'text/xml; charset=latin1' }), 415, /s:Client/],
  ['a compressed body', post(ask('x'), { 'content-encoding': 'gzip' }), 415, /s:Client/],
  ['JSON', post('{}', { 'content-type': 'application/json' }), 415, /s:Client.*content type/],
  ['a type that is none', post('x', { 'content-type': 'xml' }), 415, /s:Client.*content type/],
  ['no content type and no body', { method: 'POST' }, 415, /s:Client.*content type/],
  ['too many bytes', post(tooLarge), 413, /s:Client.*262144 bytes/],
  ['too many bytes of SOAP 1.2', post(tooLarge, in12), 413, /s:Sender.*262144 bytes/],
  ['PUT', { method: 'PUT', payload: { a: 1 } }, 405, /s:Client.*PUT is not possible/],
  ['DELETE', { method: 'DELETE' }, 405, /s:Client.*DELETE is not possible/],
  ['a bug', post(ask('break')), 500, /s:Server.*Something broke on our side; request req-/],
  ['a bug in SOAP 1.2', post(ask('break', soap12), in12), 500, /s:Receiver.*Something broke/],
]

for (const [what, request, status, body] of faults) {
  test(`answers ${what} with a fault and HTTP ${status}`, async () => {
    const { answer } = await send(request)
    assert.equal(answer.statusCode, status, answer.body)
    assert.match(answer.body, body)
    assert.doesNotMatch(answer.body, /secret|\.ts|node_modules/)
    assert.match(String(answer.headers['content-type']), /xml; charset=utf-8$/)
    assert.equal(answer.headers.allow, status === 405 ? 'GET, HEAD, POST' : undefined)
    assert(readXml(answer.body).ok)
  })
}

test('hands on who called, from where and under which id', async () => {
  const [call] = (await send(post(ask('x')))).calls
  assert.deepEqual(call?.body, { Query: 'x' })
  assert.equal(call.sessionKey?.reveal(), key)
  assert.equal(call.address, '127.0.0.1')
  assert.equal(call.requestId, 'req-1')
})

test('writes a bug into the log under the id that the fault names', async () => {
  const { logged } = await send(post(ask('break')))
  assert.match(logged.join(''), /"requestId":"req-1".*secret of the machine room/)
})

test('serves one WSDL under every spelling of its name', async () => {
  const spellings = ['wsdl', 'WSDL', 'singleWsdl', 'singlewsdl', 'wsdl=1']
  const answers = await Promise.all(
    spellings.map(async (name) => (await send({ method: 'GET', url: `${url}?${name}` })).answer),
  )
  assert.match(answers[0]?.body ?? '', /<wsdl:definitions name="CardProcAPI"/)
  for (const answer of answers) {
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^text\/xml/)
    assert.equal(answer.body, answers[0]?.body)
  }
})

test('tells a person where the WSDL is', async () => {
  const { answer } = await send({ method: 'GET' })
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
  assert.match(answer.body, /https:\/\/pay\.example\/APIcardProcService\/CardProcAPI\.svc\?wsdl/)
})

test('leaves the routes beside it their own parsers and errors', async () => {
  const { app } = service()
  app.post('/json', (request, reply) => reply.send({ got: request.body }))
  const answer = await app.inject({ method: 'POST', url: '/json', payload: { a: 1 } })
  assert.deepEqual(answer.json(), { got: { a: 1 } })
  const refused = await app.inject({
    method: 'POST',
    url: '/json',
    payload: '<a/>',
    headers: { 'content-type': 'text/xml' },
  })
  assert.equal(refused.statusCode, 415)
  assert.match(String(refused.headers['content-type']), /json/)
})
