import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '../support/gateway-process.ts'
import {
  authenticatePath,
  type HttpAnswer,
  type HttpCall,
  type TestGateway,
  useGateway,
} from '../support/in-process-gateway.ts'
import { type Answered, readAnswer } from './envelope.ts'

type Refused = {
  readonly what: string
  readonly call: HttpCall
  readonly status: number
  readonly code: number
  // What RespMsg tells.
  readonly says: RegExp
  readonly key?: string
  readonly allow?: string
}

const json = { 'content-type': 'application/json' }
// Nobody has this account code, so a request that can be read is answered with 5001.
const stranger = { AcctCode: 'ZZ0000000', Token: '0'.repeat(32) }
const strangerText = JSON.stringify(stranger)

function posted(body: string | Buffer, headers: Readonly<Record<string, string>> = json): HttpCall {
  return { method: 'POST', path: authenticatePath, headers, body }
}

function withMember(text: string): HttpCall {
  return posted(`{"AcctCode":"ZZ0000000","Token":"0",${text}}`)
}

const deep = 100_000

const unreadable: readonly [string, HttpCall, RegExp][] = [
  ['an empty body', posted(''), /the body is empty/],
  ['blanks alone', posted(' \n '), /the body is empty/],
  ['half an object', posted('{"AcctCode":"ZZ'), /the body is no JSON/],
  ['XML', posted('<AcctCode>ZZ</AcctCode>'), /the body is no JSON/],
  ['a comment', posted(`/* hello */${strangerText}`), /the body is no JSON/],
  ['two objects', posted(strangerText + strangerText), /the body is no JSON/],
  ['a member twice', withMember('"Token":"1"'), /names "Token" twice/],
  ['the same member twice with the same value', withMember('"Token":"0"'), /names "Token" twice/],
  ['a member twice in another spelling', withMember(String.raw`"\u0054oken":"1"`), /names "Token" twice/],
  ['an unknown member twice', withMember('"a":{"b":1,"b":2}'), /names "b" twice/],
  ['lists 100,000 deep', posted('['.repeat(deep) + ']'.repeat(deep)), /deeper than 32 levels/],
  ['objects 30,000 deep', posted('{"a":'.repeat(30_000) + '1' + '}'.repeat(30_000)), /deeper than 32 levels/],
  ['an unknown member 40 deep', withMember(`"a":${'['.repeat(40)}${']'.repeat(40)}`), /deeper than 32/],
  ['a number of 16 digits', withMember('"a":1234567890123456'), /more than 15 digits/],
  ['a fraction of 16 digits', withMember('"a":1.000000000000001'), /more than 15 digits/],
  ['a number beyond all bounds', withMember('"a":1e999'), /the number in "a" is too large/],
]

const wrongBodies: readonly [string, string, number, RegExp][] = [
  ['a list', '[]', 4000, /the body must be an object$/],
  ['a text', '"AcctCode"', 4000, /the body must be an object$/],
  ['a number', '7', 4000, /the body must be an object$/],
  ['null', 'null', 4000, /the body must be an object$/],
  ['a number for a text', '{"AcctCode":7,"Token":"0"}', 4001, /^AcctCode must be a text$/],
  ['a list for a text', '{"AcctCode":["ZZ0000000"],"Token":"0"}', 4001, /^AcctCode must be a text$/],
  ['true for a text', '{"AcctCode":"ZZ0000000","Token":true}', 4001, /^Token must be a text$/],
  ['no member', '{}', 4002, /^AcctCode is missing; Token is missing$/],
  ['one member', '{"AcctCode":"ZZ0000000"}', 4002, /^Token is missing$/],
  ['null for a member', '{"AcctCode":"ZZ0000000","Token":null}', 4002, /^Token is missing$/],
  [
    'members in another case',
    '{"acctcode":"ZZ0000000","TOKEN":"0"}',
    4002,
    /^AcctCode is missing: acctcode was sent, and capitals count; Token is missing: TOKEN was sent/,
  ],
  ['members of __proto__ alone', `{"__proto__":${strangerText}}`, 4002, /^AcctCode is missing; Token/],
  ['an empty text', '{"AcctCode":"","Token":"0"}', 4003, /^AcctCode is empty$/],
  ['blanks for a text', '{"AcctCode":" \\t ","Token":"0"}', 4003, /^AcctCode is empty$/],
  ['76 letters', `{"AcctCode":"${'Z'.repeat(76)}","Token":"0"}`, 4003, /^AcctCode is longer than 75 char/],
  ['a zero byte', '{"AcctCode":"ZZ\\u0000","Token":"0"}', 7123, /^AcctCode contains illegal/],
  ['a line feed', '{"AcctCode":"ZZ\\n0","Token":"0"}', 7123, /^AcctCode contains illegal characters$/],
  ['DEL', '{"AcctCode":"Z","Token":"0\\u007f0"}', 7123, /^Token contains illegal characters$/],
  ['a C1 control character', '{"AcctCode":"Z\\u0085Z","Token":"0"}', 7123, /^AcctCode contains illegal/],
]

const refused: readonly Refused[] = [
  ...unreadable.map(([what, call, says]) => ({ what, call, status: 400, code: 4000, says })),
  ...wrongBodies.map(([what, body, code, says]) => ({ what, call: posted(body), status: 400, code, says })),
  ...[
    ['10 MB', posted(' '.repeat(10_000_000)), 413, 4006, /larger than 262144 bytes/] as const,
    ['one byte too many', posted(' '.repeat(262_145)), 413, 4006, /larger than 262144 bytes/] as const,
    [
      '10 MB of unknown length',
      posted(' '.repeat(10_000_000), { ...json, 'transfer-encoding': 'chunked' }),
      413,
      4006,
      /larger than 262144 bytes/,
    ] as const,
    ['no content type', posted(strangerText, {}), 415, 4007, /must be application\/json/] as const,
    [
      'text/plain',
      posted(strangerText, { 'content-type': 'text/plain' }),
      415,
      4007,
      /must be application\/json/,
    ] as const,
    [
      'a form',
      posted('AcctCode=Z&Token=0', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      4007,
      /must be application\/json/,
    ] as const,
    [
      'a content type that is none',
      posted(strangerText, { 'content-type': 'json' }),
      415,
      4007,
      /must be/,
    ] as const,
    [
      'bytes that are no UTF-8',
      posted(Buffer.from('{"AcctCode":"\xe9"}', 'latin1')),
      415,
      4008,
      /UTF-8/,
    ] as const,
    ['UTF-16', posted(Buffer.from(`\ufeff${strangerText}`, 'utf16le')), 415, 4008, /UTF-8/] as const,
    [
      'another character set',
      posted(strangerText, { 'content-type': 'application/json; charset=latin1' }),
      415,
      4008,
      /UTF-8/,
    ] as const,
    [
      'a compressed body',
      posted(gzipSync(strangerText), { ...json, 'content-encoding': 'gzip' }),
      415,
      4008,
      /UTF-8/,
    ] as const,
  ].map(([what, call, status, code, says]) => ({ what, call, status, code, says })),
]

const lost: readonly Refused[] = [
  ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY', 'PROPFIND'].map((method) => ({
    what: method,
    call: {
      method,
      path: authenticatePath,
      ...(method === 'PUT' ? { headers: json, body: strangerText } : {}),
    },
    status: 405,
    code: 4005,
    says: new RegExp(`^${method} is not possible here; use POST$`),
    allow: 'POST',
  })),
  ...(
    [
      ['an unknown path', '/nowhere', 404, 4004, /^There is nothing at \/nowhere$/],
      ['an unknown operation', '/APIcardProcREST/v1.0.0/Nothing/Here', 404, 4004, /nothing at .*Here$/],
      ['another version', '/APIcardProcREST/v2.0.0/Authenticate', 404, 4004, /the only version is v1\.0\.0$/],
      ['an old version', '/APIcardProcService/v0.9/Authenticate', 404, 4004, /the only version is v1\.0\.0$/],
      ['an address that cannot be decoded', '/%zz', 400, 4000, /address cannot be decoded$/],
      ['an address with an open bracket', '/:a(', 404, 4004, /^There is nothing at \/:a\($/],
      ['an address with a broken pattern', '/:a([)', 404, 4004, /^There is nothing at/],
      ['an address with a star', '/*x', 404, 4004, /^There is nothing at \/\*x$/],
      ['a path into the machine', '/../../etc/passwd', 404, 4004, /^There is nothing at/],
    ] as const
  ).map(([what, path, status, code, says]) => ({
    what,
    call: { ...posted(strangerText), path },
    status,
    code,
    says,
    key: 'ErrorResult',
  })),
]

const tolerated: readonly [string, (gateway: TestGateway) => object | string][] = [
  ['an unknown member', (own) => ({ ...credentials(own), Shoe: { Size: [44] } })],
  ['an unknown member that is null', (own) => ({ ...credentials(own), Shoe: null })],
  ['blanks around a text', (own) => ({ AcctCode: ` ${own.accountCode}\t`, Token: `\n${own.token} ` })],
  ['another order', (own) => ({ Token: own.token, AcctCode: own.accountCode })],
  ['white space', (own) => JSON.stringify(credentials(own), null, 4)],
  ['a byte order mark', (own) => `\ufeff${JSON.stringify(credentials(own))}`],
]

describe('bad requests over HTTP', () => {
  const gateway = useGateway()

  for (const { what, call, status, code, says, key = 'AuthenticateResult', allow } of [...refused, ...lost]) {
    test(`${what} is refused with HTTP ${status} and ${code}`, async () => {
      const answer = await gateway().send(call)
      assert.equal(answer.status, status)
      const result = readAnswer(answer, key)
      assert.equal(result.ErrCode, code)
      assert.match(result.RespMsg, says)
      assert.equal(answer.headers.allow, allow)
      if (key === 'AuthenticateResult') assertNobodySignedIn(result)
    })
  }

  const raw: readonly [string, string, string, RegExp][] = [
    ['no body at all', bare(`POST ${authenticatePath} HTTP/1.1`), 'AuthenticateResult', /the body is empty/],
    ['garbage', '\u0016\u0003\u0001 hello\r\n\r\n', 'ErrorResult', /cannot be read/],
    ['a header without end', `GET / HTTP/1.1\r\nx: ${'a'.repeat(100_000)}`, 'ErrorResult', /cannot be read/],
    [
      'two different lengths',
      bare(`POST ${authenticatePath} HTTP/1.1`, 'Content-Length: 3\r\nContent-Length: 4\r\n'),
      'ErrorResult',
      /cannot be read/,
    ],
    [
      'a request without a host',
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      'ErrorResult',
      /cannot be read/,
    ],
    [
      'a request with two hosts',
      'GET /live HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\nConnection: close\r\n\r\n',
      'ErrorResult',
      /cannot be read/,
    ],
  ]
  for (const [what, bytes, key, says] of raw) {
    test(`${what} on the socket is answered with HTTP 400 and 4000`, async () => {
      const answer = answerFrom(await gateway().exchange(bytes))
      assert.equal(answer.status, 400)
      const result = readAnswer(answer, key)
      assert.equal(result.ErrCode, 4000)
      assert.match(result.RespMsg, says)
    })
  }

  test('a call with rubbish behind it is served, and is no fault of ours', async () => {
    const callsThatEnded = async (outcome: string) => {
      const count = new RegExp(`tillgate_call_seconds_count\\{.*outcome="${outcome}"\\} (\\d+)`)
      return Number(count.exec((await gateway().get('/metrics')).text)?.[1] ?? 0)
    }
    const before = await callsThatEnded('wrong_credentials')
    const head = `POST ${authenticatePath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`
    const call = `${head}\r\nContent-Length: ${strangerText.length}\r\n\r\n${strangerText}`
    await gateway().exchange(`${call}@@@@\r\n\r\n`)
    const hasEnded = async () => (await callsThatEnded('wrong_credentials')) > before
    await until(hasEnded, { what: 'the call has been served' })
    assert.equal(await callsThatEnded('fault'), 0)
  })

  test('the gateway serves calls after all of these', async () => {
    for (const [, bytes] of raw) await gateway().exchange(bytes)
    assert.match(await gateway().signIn(), /^[0-9a-f]{64}$/)
  })

  for (const name of ['__proto__', 'constructor', 'prototype']) {
    test(`a member called ${name} is dropped and changes nothing in the process`, async () => {
      const body = withMember(`"${name}":{"polluted":"yes","prototype":{"polluted":"yes"}}`)
      const answer = await gateway().send(body)
      assert.equal(readAnswer(answer, 'AuthenticateResult').ErrCode, 5001)
      assert.equal('polluted' in {}, false)
    })
  }

  for (const [what, change] of tolerated) {
    test(`${what} does not stand in the way of signing in`, async () => {
      const answer = await gateway().post(authenticatePath, change(gateway()), { accept: 'text/html' })
      assert.equal(answer.status, 200)
      const result = readAnswer(answer, 'AuthenticateResult')
      assert.deepEqual([result.ErrCode, result['AuthSuccess']], [0, true])
    })
  }
})

function credentials({ accountCode, token }: TestGateway): object {
  return { AcctCode: accountCode, Token: token }
}

function assertNobodySignedIn({ AuthSuccess, SessKey, MerchantList, ThisUser }: Answered): void {
  assert.deepEqual([AuthSuccess, SessKey, MerchantList, ThisUser], [false, '', [], null])
}

function bare(start: string, headers = ''): string {
  const usual = 'Host: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n'
  return `${start}\r\n${usual}${headers}\r\n`
}

// Reads one answer from the text that came over a socket.
function answerFrom(received: string): HttpAnswer {
  const end = received.indexOf('\r\n\r\n')
  const [start = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const text = received.slice(end + 4)
  return { status: Number(start.split(' ')[1]), headers: Object.fromEntries(headers), text }
}
