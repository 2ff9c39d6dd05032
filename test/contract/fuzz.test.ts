import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readXml, type XmlElement } from '#transport/soap/read-xml.ts'
import { count } from '../support/counts.ts'
import { authenticatePath, type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { machineRoom, readEnvelope } from './envelope.ts'

// So many bodies travel at once. In a counterexample all of them shrink but the one that broke.
const bodiesAtOnce = 20
const servicePath = '/APIcardProcService/CardProcAPI.svc'
const accountCode = 'ZZ0000000'

// Texts that have hurt other programs, beside random ones.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '\ufffe',
    '\u202e',
    '👩‍👩‍👧‍👦'.repeat(75),
    `'; drop table account; --`,
    '%s',
    '{0}',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    accountCode,
    ' ',
    'é'.repeat(75),
    'x'.repeat(5_000),
  ),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.jsonValue({ maxDepth: 4 }).map(withShortNumbers),
)

// A number of more than 15 digits ends a request before anything else in it is looked at.
function withShortNumbers(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (_, inner: unknown) =>
    typeof inner === 'number' ? Number(inner.toPrecision(12)) : inner,
  )
}

const signIn = fc.record(
  { AcctCode: value, Token: value, Extra: value, __proto__x: value, constructor: value },
  { requiredKeys: [] },
)
const signInText = fc.oneof(
  { weight: 4, arbitrary: signIn.map((body) => JSON.stringify(body).replaceAll('__proto__x', '__proto__')) },
  fc.record({ AcctCode: text, Token: text }).map((body) => JSON.stringify(body)),
  fc.jsonValue().map((body) => JSON.stringify(body)),
)

const xmlText = text.map((raw) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
const xmlName = fc.oneof(
  fc.constantFrom('AcctCode', 'Token', 'SessKey', 'Authenticate', 'Session_Query', 'Session_End', 's:Body'),
  fc.constantFrom('s:Header', 's:Envelope', 's:Fault', 'constructor', '__proto__', 'item', 'x:y'),
)
const xmlAttribute = fc.constantFrom(
  '',
  ' xmlns=""',
  ' xmlns="urn:tillgate:cardproc:v1"',
  ' xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"',
  ' xmlns:s="http://www.w3.org/2003/05/soap-envelope"',
  ' s:mustUnderstand="1"',
  ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"',
  ' a="1" a="2"',
)
const { element: xmlTree } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(xmlName, xmlAttribute, tie('content'))
    .map(([name, attribute, content]) => `<${name}${attribute}>${content}</${name}>`),
  content: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    xmlText,
    fc.array(tie('element'), { maxLength: 4 }).map((parts) => parts.join('')),
  ),
}))
const version = fc.constantFrom(
  ['http://schemas.xmlsoap.org/soap/envelope/', 'text/xml'] as const,
  ['http://www.w3.org/2003/05/soap-envelope', 'application/soap+xml'] as const,
)
const envelopeText = fc
  .tuple(version, fc.oneof(signInXml(xmlText), signInXml(xmlTree), xmlTree))
  .map(([[namespace, contentType], body]) => ({
    contentType,
    body: `<s:Envelope xmlns:s="${namespace}"><s:Body>${body}</s:Body></s:Envelope>`,
  }))

function signInXml(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(inner, inner, inner)
    .map(
      ([code, token, more]) =>
        '<Authenticate xmlns="urn:tillgate:cardproc:v1">' +
        `<AcctCode>${code}</AcctCode><Token>${token}</Token>${more}</Authenticate>`,
    )
}

// Cuts, doubles and overwrites pieces of a text, so that it is almost right.
function mutated(original: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(8),
    put: fc.uint8Array({ maxLength: 4 }),
  })
  return fc.tuple(original, fc.array(change, { minLength: 1, maxLength: 4 })).map(([start, changes]) =>
    changes.reduce((bytes, { at, length, put }) => {
      const from = Math.floor(at * bytes.length)
      return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + length)])
    }, Buffer.from(start)),
  )
}

const address = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '..',
        ':',
        '*',
        '(',
        ')',
        '[',
        '\\',
        '%',
        '%2F',
        '%00',
        '?',
        '#',
        ';',
        '|',
        '^',
      ),
      fc.constantFrom(
        '/docs',
        '/APIcardProcREST',
        '/v1.0.0',
        '/v2.0.0',
        '/Authenticate',
        '__proto__',
        'wsdl',
      ),
      fc.string({ maxLength: 5 }).map(encodeURIComponent),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `/${parts.join('')}`)

// A fuzz that never gets past the door proves nothing.
const outcomesReached = [
  'wrong_credentials',
  'wrong_type',
  'missing_member',
  'value_out_of_range',
  'illegal_characters',
]

const randomBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

describe('whatever a client sends', () => {
  const gateway = useGateway()
  const restAnswersWell = async (body: string | Buffer): Promise<void> =>
    assertCleanRest(await gateway().post(authenticatePath, body))
  const soapAnswersWell = async ({ contentType, body }: SoapBody): Promise<void> =>
    assertCleanSoap(await gateway().post(servicePath, body, { 'content-type': contentType }))
  const addressAnswersWell = async (path: string): Promise<void> => {
    const { status, text: body } = await gateway().get(path)
    assert(status < 500, `HTTP ${status} to ${path}: ${body}`)
    assert.doesNotMatch(body, /\n\s+at /)
  }

  test('Authenticate over REST answers with the envelope and never with a fault', async () => {
    const bodies: fc.Arbitrary<string | Buffer> = fc.oneof(
      { weight: 5, arbitrary: signInText },
      { weight: 3, arbitrary: mutated(signInText) },
      fc.string({ unit: 'binary' }),
      randomBytes,
    )
    await checkMany(bodies, restAnswersWell, count({ full: 100_000, usual: 4_000 }))
    assert.deepEqual(Object.keys(Object.prototype), [])
    const { text: metrics } = await gateway().get('/metrics')
    for (const outcome of outcomesReached) assert(metrics.includes(`outcome="${outcome}"`), outcome)
  })

  test('SOAP answers with a result or a clean fault of the sender', async () => {
    const bodies: fc.Arbitrary<SoapBody> = fc.oneof(
      { weight: 4, arbitrary: envelopeText },
      { weight: 3, arbitrary: mutated(envelopeText.map(({ body }) => body)).map(asXml) },
      xmlTree.map(asXml),
      randomBytes.map(asXml),
    )
    await checkMany(bodies, soapAnswersWell, count({ full: 20_000, usual: 1_000 }))
  })

  test('every address is answered, and never with a fault', async () => {
    await checkMany(address, addressAnswersWell, count({ full: 20_000, usual: 1_000 }))
  })

  test('a gateway that was sent all this still signs a merchant in', async () => {
    assert.match(await gateway().signIn(), /^[0-9a-f]{64}$/)
  })
})

type SoapBody = { readonly contentType: string; readonly body: string | Buffer }

function asXml(body: string | Buffer): SoapBody {
  return { contentType: 'text/xml', body }
}

async function checkMany<Body>(
  bodies: fc.Arbitrary<Body>,
  answersWell: (body: Body) => Promise<void>,
  total: number,
): Promise<void> {
  const many = fc.array(bodies, { minLength: bodiesAtOnce, maxLength: bodiesAtOnce })
  const all = fc.asyncProperty(many, async (some) => {
    await Promise.all(some.map(answersWell))
  })
  await fc.assert(all, { numRuns: Math.ceil(total / bodiesAtOnce) })
}

const restStatuses = new Set([200, 400, 415])

function assertCleanRest({ status, text: body, headers }: HttpAnswer): void {
  assert(restStatuses.has(status), `HTTP ${status}: ${body}`)
  assert.match(String(headers['request-id']), /^req_/)
  const { ErrCode, ErrMsg } = readEnvelope(body, 'AuthenticateResult')
  assert(ErrCode !== 0 && ErrCode < 9000, ErrMsg)
  assert.doesNotMatch(body, machineRoom)
}

function assertCleanSoap({ status, text: body, headers }: HttpAnswer): void {
  assert.match(String(headers['request-id']), /^req_/)
  assert.doesNotMatch(body, machineRoom)
  const read = readXml(body)
  assert(read.ok, `the answer is XML: ${body}`)
  const [content] = read.value.children[0]?.children ?? []
  assert(content, body)
  if (content.name === 'Fault') assertFaultOfSender(content, status)
  else assertResult(content, status)
}

function assertFaultOfSender(fault: XmlElement, status: number): void {
  const code = fault.children[0]?.children[0]?.text ?? fault.children[0]?.text ?? ''
  assert.match(code, /^s:(?:Client|Sender|VersionMismatch|MustUnderstand)$/)
  assert.equal(status, code === 's:Sender' ? 400 : 500)
}

function assertResult(response: XmlElement, status: number): void {
  assert.equal(status, 200)
  assert.match(response.name, /Response$/)
  const [result] = response.children
  const members = new Map(result?.children.map(({ name, text: told }) => [name, told]))
  assert.match(members.get('FunctionOk') ?? '', /^(?:true|false)$/)
  assert.match(members.get('ErrMsg') ?? '', /^ERROR:\d+:(?:LOW|MEDIUM):/)
  assert(Number(members.get('ErrCode')) < 9000)
}
