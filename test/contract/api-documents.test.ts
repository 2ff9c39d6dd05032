import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SaxesParser } from 'saxes'
import { Compile } from 'typebox/compile'
import { operations } from '#capabilities/operations.ts'
import { sampleErrorText } from '#capabilities/wire/envelope.ts'
import { errorCodes, errorNames } from '#capabilities/wire/error-codes.ts'
import { authenticatePath, useGateway } from '../support/in-process-gateway.ts'

type Content = { readonly 'application/json': { readonly schema: object; readonly example: object } }
type Response = { readonly description?: string; readonly content?: Content; readonly $ref?: string }
type Described = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters?: readonly object[]
  readonly requestBody: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}
type OpenApi = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, { readonly post: Described }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

const wsdlPath = '/APIcardProcService/CardProcAPI.svc?wsdl'
const contracts = operations.map(({ contract }) => contract)

describe('the documents of the interface', () => {
  const gateway = useGateway()
  const openApi = async (): Promise<OpenApi> => JSON.parse((await gateway().get('/openapi.json')).text)

  test('openapi.json is OpenAPI 3.1 and calls where it was read from', async () => {
    const document = await openApi()
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.deepEqual([document.info.title, document.info.version], ['Tillgate', '1.0.0'])
    assert.deepEqual(document.servers, [{ url: '/' }])
  })

  test('openapi.json has exactly the operations of the gateway, in their order', async () => {
    const { paths } = await openApi()
    assert.deepEqual(
      Object.entries(paths).map(([path, item]) => [path, Object.keys(item), item.post.summary]),
      contracts.map(({ prefix, path, title }) => [prefix + path, ['post'], title]),
    )
    const ids = Object.values(paths).map(({ post }) => post.operationId)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  test('every reference inside openapi.json leads somewhere', async () => {
    const document = await openApi()
    const references = Array.from(
      JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g),
      ([, to = '']) => to,
    )
    assert(references.length > 0)
    assert.deepEqual(
      references.filter((reference) => typeof resolve(document, reference) !== 'object'),
      [],
    )
  })

  for (const { prefix, path, resultKey, access, takesKey, request } of contracts) {
    test(`openapi.json describes ${path} with schemas, examples and the key it needs`, async () => {
      const document = await openApi()
      const described = document.paths[prefix + path]?.post
      assert(described && described.description !== '' && described.tags.length === 1)
      assert.deepEqual(described.security, access === 'session' ? [{ SessKey: [] }] : [])
      const key = { $ref: '#/components/parameters/IdempotencyKey' }
      assert.deepEqual(described.parameters, takesKey ? [key] : undefined)
      const asked = described.requestBody.content['application/json']
      const schema = withoutReferences(document, asked.schema)
      assert.deepEqual(withoutForms(schema), withoutForms(request))
      assert(Compile(schema).Check(asked.example))
      const answered = described.responses['200']?.content?.['application/json']
      assert(answered)
      assert.deepEqual(Object.keys(answered.example), [resultKey])
      assert(Compile(withoutReferences(document, answered.schema)).Check(answered.example))
      const always = ['200', '400', '405', '413', '415', '429', '500', '503']
      const statuses = takesKey ? [...always, '409', '422'].toSorted() : always
      assert.deepEqual(Object.keys(described.responses), statuses)
      for (const status of statuses) {
        const response: Response = described.responses[status] ?? {}
        assert(Object(response.$ref ? resolve(document, response.$ref) : response).description)
      }
    })
  }

  test('openapi.json says how a session key and an idempotency key are sent', async () => {
    const { components } = await openApi()
    const { name, in: place } = components.parameters['IdempotencyKey'] ?? assert.fail('no key')
    assert.deepEqual([name, place], ['Idempotency-Key', 'header'])
    assert.deepEqual(components.securitySchemes, {
      SessKey: { type: 'apiKey', in: 'header', name: 'SessKey' },
    })
  })

  test('the page of error codes has every code with a sample, its cause and its remedy', async () => {
    const { text, headers } = await gateway().get('/docs/errors')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const page = plain(text)
    for (const name of errorNames) {
      const { code, cause, remedy } = errorCodes[name]
      assert(text.includes(`id="${code}"`), `${code} can be linked to`)
      for (const part of [sampleErrorText(name), cause, remedy]) assert(page.includes(part), part)
    }
  })

  test('no two errors share a code', () => {
    const codes = Object.values(errorCodes).map(({ code }) => code)
    assert.deepEqual(codes, [...new Set(codes)])
  })

  test('the WSDL is XML and has every operation in its port type and in both bindings', async () => {
    const { status, text } = await gateway().get(wsdlPath)
    assert.equal(status, 200)
    const names = operationNamesOf(text)
    const expected = contracts.map(({ resultKey }) => resultKey.replace(/Result$/, ''))
    assert.deepEqual(names, [...expected, ...expected, ...expected])
    assert(text.includes(`location="${gateway().baseUrl}/APIcardProcService/CardProcAPI.svc"`))
    assert.equal((await gateway().get(wsdlPath.replace('wsdl', 'singleWsdl'))).text, text)
  })

  const pages: readonly [path: string, status: number, contentType: RegExp, holds: RegExp][] = [
    ['/docs', 200, /^text\/html; charset=utf-8$/, /<div id="reference">/],
    ['/docs/errors', 200, /^text\/html; charset=utf-8$/, /<h1>Error codes<\/h1>/],
    ['/docs/sandbox', 200, /^text\/html; charset=utf-8$/, /<span>5454545454545454<\/span>/],
    ['/docs/query-language', 200, /^text\/html; charset=utf-8$/, />Query\/RecurringSchedule<\/h2>/],
    ['/docs/errors.css', 200, /^text\/css/, /color-scheme/],
    ['/docs/start.js', 200, /^text\/javascript/, /telemetry: false/],
    ['/docs/scalar.js', 200, /^text\/javascript/, /createApiReference/],
    ['/favicon.ico', 200, /^image\/svg\+xml/, /^<svg /],
    ['/favicon.svg', 200, /^image\/svg\+xml/, /^<svg /],
    ['/live', 200, /^application\/json/, /^\{"live":true\}$/],
    ['/ready', 200, /^application\/json/, /^\{"ready":true,"database":"ok"\}$/],
    ['/metrics', 200, /^text\/plain/, /^tillgate_tasks\{state="dead"\} 0$/m],
    ['/APIcardProcService/CardProcAPI.svc', 200, /^text\/plain/, /\?wsdl/],
  ]
  for (const [path, status, contentType, holds] of pages) {
    test(`${path} answers`, async () => {
      const answer = await gateway().get(path)
      assert.equal(answer.status, status)
      assert.match(String(answer.headers['content-type']), contentType)
      assert.match(answer.text, holds)
      assert.match(String(answer.headers['request-id']), /^req_/)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    })
  }

  test('the bare address leads to the docs', async () => {
    const { status, headers } = await gateway().get('/')
    assert.deepEqual([status, headers.location], [302, '/docs'])
  })

  test('the metrics count a call by operation and outcome', async () => {
    await gateway().signIn()
    await gateway().post(authenticatePath, {})
    const { text } = await gateway().get('/metrics')
    assert.match(text, /^tillgate_call_seconds_count\{operation="Authenticate",outcome="done"\} [1-9]/m)
    assert.match(
      text,
      /^tillgate_call_seconds_count\{operation="Authenticate",outcome="missing_member"\} [1-9]/m,
    )
    for (const state of ['waiting', 'overdue', 'dead']) {
      assert.match(text, new RegExp(`^tillgate_tasks\\{state="${state}"\\} \\d+$`, 'm'))
    }
    for (const state of ['unknown', 'reversing', 'late', 'manual']) {
      assert.match(text, new RegExp(`^tillgate_open_attempts\\{state="${state}"\\} 0$`, 'm'))
    }
    assert.match(text, /^tillgate_oldest_attempt_seconds\{state="unknown"\} 0$/m)
  })

  for (const path of ['/docs', '/docs/errors', '/docs/sandbox']) {
    test(`${path} lets the browser load from this gateway only, and be framed by nobody`, async () => {
      const { headers } = await gateway().get(path)
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
      )
      const own = ['default-src', 'script-src', 'connect-src', 'base-uri', 'form-action', 'frame-ancestors']
      const expected = [`'none'`, `'self'`, `'self'`, `'none'`, `'none'`, `'none'`]
      assert.deepEqual(
        own.map((name) => policy.get(name)),
        expected,
      )
      for (const sources of policy.values()) assert.doesNotMatch(sources, /\*|https?:|unsafe-eval/)
      assert.equal(headers['referrer-policy'], 'no-referrer')
    })
  }
})

function resolve(document: object, reference: string): unknown {
  const parts = reference.replace(/^#\//, '').split('/')
  return parts.reduce<unknown>(
    (place, part) => new Map<string, unknown>(Object.entries(place ?? {})).get(part),
    document,
  )
}

function withoutReferences(document: OpenApi, schema: object): object {
  const text = JSON.stringify(schema).replace(/\{"\$ref":"([^"]*)"\}/g, (_, reference: string) =>
    JSON.stringify(withoutReferences(document, Object(resolve(document, reference)))),
  )
  return JSON.parse(text)
}

// The document tells typed clients how many bits an integer needs, which no request is checked for.
// What is published beyond the schema that a reader of requests checks by, and what is ours alone.
const forms = /^(?:format|pattern|minLength|minimum|maximum|x-.*)$/

function withoutForms(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) => (forms.test(name) ? undefined : value))
}

function operationNamesOf(wsdl: string): readonly string[] {
  const names: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('opentag', ({ uri, local, attributes }) => {
    const isOperation = uri === 'http://schemas.xmlsoap.org/wsdl/' && local === 'operation'
    if (isOperation) names.push(attributes['name']?.value ?? '')
  })
  parser.write(wsdl).close()
  return names
}

// What a reader of the page sees: no tags, no entities, single blanks.
function plain(page: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': `'`, amp: '&' }
  return page
    .replace(/<[^>]*>/g, '')
    .replace(/&([\w#]+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
}
